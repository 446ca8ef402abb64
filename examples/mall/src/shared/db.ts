/**
 * 内存表
 *
 * 接口照着线上的 DAO：全部异步、带乐观锁版本号、自动维护 gmt_create / gmt_modified。
 * 行的字段名与库表列名一致（下划线），省去一层映射，日志里的字段也能直接拿去查库。
 */
import type { Clock, Timestamp } from './clock.js';
import { shanghaiDate } from './clock.js';
import { BizError, ErrorCode } from './errors.js';

export interface BaseRow {
  /** 乐观锁版本号，从 1 开始，每次更新加一。 */
  version: number;
  gmt_create: Timestamp;
  gmt_modified: Timestamp;
}

type RowInput<Row extends BaseRow> = Omit<Row, keyof BaseRow>;

export class Table<Row extends BaseRow> {
  private readonly rows = new Map<string, Row>();

  /**
   * @param name 表名，只用于报错
   * @param keyOf 取主键
   */
  constructor(
    readonly name: string,
    private readonly clock: Clock,
    private readonly keyOf: (row: RowInput<Row>) => string,
  ) {}

  async insert(input: RowInput<Row>): Promise<Row> {
    const key = this.keyOf(input);
    if (this.rows.has(key)) throw new BizError(ErrorCode.ERR_VERSION_CONFLICT, `${this.name} 主键重复：${key}`);
    const now = this.clock.now();
    const row = { ...input, version: 1, gmt_create: now, gmt_modified: now } as Row;
    this.rows.set(key, row);
    return structuredClone(row);
  }

  async find(key: string): Promise<Row | undefined> {
    const row = this.rows.get(key);
    return row && structuredClone(row);
  }

  /** 取一行，没有就抛 ERR_NOT_FOUND。 */
  async get(key: string): Promise<Row> {
    const row = await this.find(key);
    if (!row) throw new BizError(ErrorCode.ERR_NOT_FOUND, `${this.name} 不存在：${key}`);
    return row;
  }

  async list(where: (row: Readonly<Row>) => boolean = () => true): Promise<Row[]> {
    return [...this.rows.values()].filter(where).map((row) => structuredClone(row));
  }

  /**
   * 按读出来时的版本更新；中间被别人改过就抛 ERR_VERSION_CONFLICT，由调用方决定重读还是放弃。
   *
   * @param seen 之前读到的行，用它的主键和 version
   */
  async update(seen: Row, patch: Partial<RowInput<Row>>): Promise<Row> {
    const key = this.keyOf(seen);
    const current = this.rows.get(key);
    if (!current) throw new BizError(ErrorCode.ERR_NOT_FOUND, `${this.name} 不存在：${key}`);
    if (current.version !== seen.version) {
      throw new BizError(ErrorCode.ERR_VERSION_CONFLICT, `${this.name} 已被修改：${key}`);
    }
    const next = { ...current, ...patch, version: current.version + 1, gmt_modified: this.clock.now() };
    this.rows.set(key, next);
    return structuredClone(next);
  }
}

/** 业务单号：前缀 + 东八区日期 + 六位流水，形如 SO20240501000001。 */
export class NoGenerator {
  private sequence = 0;

  constructor(
    private readonly prefix: string,
    private readonly clock: Clock,
  ) {}

  next(): string {
    this.sequence += 1;
    const day = shanghaiDate(this.clock.now()).replaceAll('-', '');
    return `${this.prefix}${day}${String(this.sequence).padStart(6, '0')}`;
  }
}
