import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PathContext } from '../../src/paths/index.js';
import { gbk, seeded } from './support.js';

export const WORDS = ['订单', '支付', '退款', '优惠券', '库存', '对账', '发票', '导出', '报表', '权限', '消息', '签名'];
const FOLDERS = ['src/order', 'src/支付 网关', 'src/a/b/c', 'test', 'i18n', 'docs'];

/** Does random things to a project, as a person with an editor and git would. */
export class Vandal {
  readonly #random: () => number;
  readonly #root: string;
  readonly #files: string[] = [];
  #made = 0;

  constructor(root: string, seed: number) {
    this.#root = root;
    this.#random = seeded(seed);
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)]!;
  }

  act(): void {
    const die = this.#random();
    if (this.#files.length < 5 || die < 0.35) this.#create();
    else if (die < 0.6) this.#edit();
    else if (die < 0.75) this.#move();
    else if (die < 0.9) this.#remove();
    else this.#swap();
  }

  #write(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(this.#root, path)), { recursive: true });
    writeFileSync(join(this.#root, path), content);
  }

  #content(): string | Uint8Array {
    const [a, b] = [this.#pick(WORDS), this.#pick(WORDS)];
    const text = `// ${a}${b}\nimport { x } from './f${Math.floor(this.#random() * 20)}.js';\nexport class ${this.#pick(['Order', 'Pay', 'Refund'])}${this.#made} { t() { return $t('${this.#pick(['k.one', 'k.two', 'k.three'])}'); } }\n`;
    return this.#random() < 0.2 ? gbk(text) : text;
  }

  #create(): void {
    const die = this.#random();
    if (die < 0.1) {
      this.#write(
        'i18n/zh-CN.json',
        JSON.stringify({ k: { one: this.#pick(WORDS), two: this.#pick(WORDS), three: this.#pick(WORDS) } }),
      );
      return;
    }
    if (die < 0.15) {
      this.#write('.gitignore', this.#pick(['docs/\n', '*.log\n', '']));
      return;
    }
    const path = `${this.#pick(FOLDERS)}/f${this.#made++}.ts`;
    this.#write(path, this.#content());
    this.#files.push(path);
  }

  #edit(): void {
    const path = this.#pick(this.#files);
    // Often of the same length, within the same tick of the clock.
    if (this.#random() < 0.5)
      this.#write(
        path,
        Buffer.from(readFileSync(join(this.#root, path)).map((byte) => (byte === 49 ? 50 : byte === 50 ? 49 : byte))),
      );
    else this.#write(path, this.#content());
  }

  #move(): void {
    const at = Math.floor(this.#random() * this.#files.length);
    const to = `${this.#pick(FOLDERS)}/f${this.#made++}.ts`;
    mkdirSync(dirname(join(this.#root, to)), { recursive: true });
    renameSync(join(this.#root, this.#files[at]!), join(this.#root, to));
    this.#files[at] = to;
  }

  #remove(): void {
    const [path] = this.#files.splice(Math.floor(this.#random() * this.#files.length), 1);
    rmSync(join(this.#root, path!));
  }

  /** Two files change places: same names, same sizes perhaps, other contents. */
  #swap(): void {
    const [a, b] = [this.#pick(this.#files), this.#pick(this.#files)];
    if (a === b) return;
    renameSync(join(this.#root, a), join(this.#root, 'swap.tmp'));
    renameSync(join(this.#root, b), join(this.#root, a));
    renameSync(join(this.#root, 'swap.tmp'), join(this.#root, b));
  }
}

/** Everything that a context can be asked, so that two of them can be compared. */
export async function answers(paths: PathContext): Promise<unknown> {
  return {
    files: paths.files,
    map: paths.loadContext(),
    summaries: paths.files.map((path) => paths.summary(path)),
    expansions: await Promise.all(paths.files.slice(0, 8).map((path) => paths.expandPath(path))),
    lookups: await Promise.all([...WORDS, '改 f3.ts', '订单退款 k.one'].map((word) => paths.lookupFile(word))),
    symbols: await Promise.all(['Order3', 'Pay1', 'Refund2.t'].map((name) => paths.findSymbol(name))),
    hits: await paths.searchCode('订单'),
  };
}
