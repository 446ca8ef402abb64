import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { type ImportOptions, type ImportPlan, planImport, writeImport } from '../../src/zhcore/import/index.js';
import { openZhCore } from '../../src/zhcore/index.js';
import { tree } from '../knowledge/support.js';

/** A part of a ZIP archive; `stored` leaves it unpacked, `zip64` writes its sizes into the extra field. */
export interface ZipPart {
  name: string;
  content: string | Buffer;
  stored?: boolean;
  zip64?: boolean;
}

/** A ZIP archive as zip tools write it. */
export function zip(parts: readonly ZipPart[]): Buffer {
  const bodies: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const { name, content, stored, zip64 } of parts) {
    const raw = Buffer.from(content);
    const data = stored ? raw : deflateRawSync(raw);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(stored ? 0 : 8, 8);
    local.writeUInt32LE(crc32(raw), 14);
    local.writeUInt32LE(data.length, 18);
    local.writeUInt32LE(raw.length, 22);
    local.writeUInt16LE(Buffer.byteLength(name), 26);
    const extra = Buffer.alloc(zip64 ? 20 : 0);
    if (zip64) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(16, 2);
      extra.writeBigUInt64LE(BigInt(raw.length), 4);
      extra.writeBigUInt64LE(BigInt(data.length), 12);
    }
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    local.copy(entry, 8, 6, 30);
    entry.writeUInt16LE(stored ? 0 : 8, 10);
    entry.writeUInt32LE(zip64 ? 0xffffffff : data.length, 20);
    entry.writeUInt32LE(zip64 ? 0xffffffff : raw.length, 24);
    entry.writeUInt16LE(Buffer.byteLength(name), 28);
    entry.writeUInt16LE(extra.length, 30);
    entry.writeUInt32LE(offset, 42);
    entries.push(entry, Buffer.from(name), extra);
    bodies.push(local, Buffer.from(name), data);
    offset += 30 + Buffer.byteLength(name) + data.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, directory, end]);
}

/** A workbook out of the XML of its sheets, names with a prefix as some tools write them. */
export function workbook(
  sheets: readonly { name: string; xml: string; state?: string }[],
  more: { strings?: string; styles?: string; part?: Partial<ZipPart> } = {},
): Buffer {
  const list = sheets.map(
    (s, i) =>
      `<x:sheet name="${s.name}" sheetId="${i + 1}"${s.state ? ` state="${s.state}"` : ''} r:id="rId${i + 1}"/>`,
  );
  const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const relations = sheets.map(
    (_, i) => `<Relationship Id="rId${i + 1}" Type="${type}/worksheet" Target="/xl/worksheets/s${i + 1}.xml"/>`,
  );
  if (more.strings) relations.push(`<Relationship Id="s" Type="${type}/sharedStrings" Target="sharedStrings.xml"/>`);
  if (more.styles) relations.push(`<Relationship Id="t" Type="${type}/styles" Target="styles.xml"/>`);
  const parts: ZipPart[] = [
    {
      name: '_rels/.rels',
      content: `<Relationships><Relationship Id="r" Type="${type}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    },
    {
      name: 'xl/workbook.xml',
      content: `<x:workbook xmlns:x="m" xmlns:r="r"><x:sheets>${list.join('')}</x:sheets></x:workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: `<Relationships>${relations.join('')}</Relationships>`,
      stored: true,
    },
    ...sheets.map((s, i) => ({ name: `xl/worksheets/s${i + 1}.xml`, content: s.xml, ...more.part })),
    ...(more.strings ? [{ name: 'xl/sharedStrings.xml', content: more.strings }] : []),
    ...(more.styles ? [{ name: 'xl/styles.xml', content: more.styles }] : []),
  ];
  return zip(parts);
}

/** Inline strings, row by row; an empty text is no cell at all. */
export function sheetXml(rows: readonly (readonly string[])[], after = ''): string {
  const cell = (text: string, r: number, c: number) =>
    text === ''
      ? ''
      : `<c r="${String.fromCharCode(65 + c)}${r + 1}" t="inlineStr"><is><t>${text.replace(/&/g, '&amp;').replace(/</g, '&lt;')}</t></is></c>`;
  const lines = rows.map((row, r) => `<row r="${r + 1}">${row.map((text, c) => cell(text, r, c)).join('')}</row>`);
  return `<worksheet><sheetData>${lines.join('')}</sheetData>${after}</worksheet>`;
}

/** A project with files beside it, and imports into it. */
export class Bench {
  readonly root: string;

  constructor(files: Record<string, string | Uint8Array> = {}) {
    this.root = tree({ '.xihe/modules.yaml': 'order:\n  title: 订单\n  paths: [src/order/**]\n', ...files });
  }

  get layerDir(): string {
    return join(this.root, '.xihe');
  }

  write(files: Record<string, string | Uint8Array>): void {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.root, path)), { recursive: true });
      writeFileSync(join(this.root, path), content);
    }
  }

  plan(source: string, options: Partial<ImportOptions> = {}): Promise<ImportPlan> {
    return planImport(source.startsWith('/') ? source : join(this.root, source), {
      root: this.root,
      layerDir: this.layerDir,
      today: '2026-11-30',
      ...options,
    });
  }

  /** Imports and writes. */
  async import(source: string, options: Partial<ImportOptions> = {}): Promise<ImportPlan> {
    const plan = await this.plan(source, options);
    writeImport(plan, this.root);
    return plan;
  }

  /** The core of the project alone. */
  core() {
    return openZhCore({ generalDir: tree(), projectDir: this.layerDir });
  }

  /** Every term in force, in short: word → symbols. */
  terms(): Record<string, string[]> {
    const terms = this.core()
      .entries()
      .flatMap((item) => (item.type === 'term' ? [item.entry] : []));
    return Object.fromEntries(terms.map((term) => [term.keyword_ch, term.code_symbols]));
  }
}

/** Reasons why something was left out, by place. */
export const reasons = (plan: ImportPlan) => plan.leftOut.map(({ where, reason }) => `${where} ${reason}`);
