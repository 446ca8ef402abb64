export type Language =
  | 'typescript'
  | 'tsx'
  | 'javascript'
  | 'vue'
  | 'java'
  | 'kotlin'
  | 'python'
  | 'go'
  | 'c'
  | 'cpp'
  | 'csharp'
  | 'rust'
  | 'php'
  | 'ruby'
  | 'sql'
  | 'xml'
  | 'html'
  | 'css'
  | 'json'
  | 'yaml'
  | 'markdown'
  | 'shell'
  | 'other';

export type SymbolKind =
  | 'class'
  | 'interface'
  | 'type'
  | 'enum'
  | 'enum-member'
  | 'function'
  | 'method'
  | 'constant'
  | 'field'
  | 'route';

/** A named thing that a file defines. */
export interface CodeSymbol {
  name: string;
  kind: SymbolKind;
  /** The class, interface, enum or function around it; `Order.cancel` is name `cancel`, container `Order`. */
  container?: string;
  /** 1-based line of its definition. */
  line: number;
  /** 1-based last line. */
  endLine: number;
  exported: boolean;
  /** The signature on one line, e.g. `cancelExpired(now: Date): Promise<number>`. */
  signature?: string;
  /** The doc comment before it, markers stripped. */
  doc?: string;
  /** 1-based line of what explains it, where that is known to be another than `line`: COMMENT in SQL. */
  docLine?: number;
}

export interface ImportRef {
  /** The specifier as written: `../order/service.js`, `com.mall.order.OrderService`. */
  source: string;
  names: string[];
  line: number;
}

/** What one look at a source file tells, without its text. */
export interface Outline {
  language: Language;
  /** How it was read: by a parser, or by patterns where there is none or it failed. */
  by: 'ast' | 'pattern' | 'none';
  symbols: CodeSymbol[];
  imports: ImportRef[];
  /** The comment at the head of the file, markers stripped. */
  headComment?: string;
  /** Every comment (and doc comment) that holds Chinese. */
  comments: { line: number; text: string }[];
  /** String literals that hold Chinese, and keys like `order.cancel.title`. */
  strings: { line: number; text: string }[];
  /** In locale files (JSON, YAML, properties, TS): key path, Chinese text, and where. */
  i18n?: { key: string; text: string; line: number }[];
  /** SQL: what is said of tables and columns that the file itself does not define. */
  remarks?: { name: string; container?: string; text: string; line: number }[];
  /** One line, 10–20 tokens: head comment, else first doc comment, else the main symbols. */
  summary: string;
}

/** A place where a file does not parse. */
export interface SyntaxProblem {
  line: number;
  column: number;
  text: string;
}
