/** The forms of one string that everything else compares. */
export interface Normalised {
  /** As it came in; this is what people see. */
  original: string;
  /** NFKC, lower case, simplified characters, mainland words. */
  folded: string;
  /** Identifiers and code-like tokens, as written (`OrderService.cancelExpired`, `ERR_TIMEOUT`, `gmt_create`). */
  identifiers: string[];
  /** Folded words of the rest, cut by jieba in search mode, stop words kept out. */
  words: string[];
}

export type Encoding = 'utf-8' | 'gbk' | 'gb18030' | 'big5' | 'utf-16le' | 'utf-16be';
export type Eol = 'lf' | 'crlf' | 'cr' | 'mixed' | 'none';

/** A file's text together with all that is needed to write it back byte for byte. */
export interface FileText {
  text: string;
  encoding: Encoding;
  bom: boolean;
  eol: Eol;
  finalNewline: boolean;
  /** How many spots the encoding could not read; each stands as one U+FFFD in `text`. Absent when there is none. */
  undecodable?: number;
}

/** Replace the characters [start, end) (UTF-16 offsets into {@link FileText.text}) by `text`. */
export interface TextEdit {
  start: number;
  end: number;
  text: string;
}
