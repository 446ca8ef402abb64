/**
 * 用户：注册、登录、访问记录
 */
import type { Clock } from '../shared/clock.js';
import type { Table } from '../shared/db.js';
import { NoGenerator } from '../shared/db.js';
import { BizError, ErrorCode } from '../shared/errors.js';
import type { Logger } from '../shared/logger.js';
import { maskPhone } from '../shared/logger.js';
import { hashPassword, verifyPassword } from './password.js';
import type { SessionStore } from './session.js';
import type { UserRow, VisitRow } from './user.js';
import { UserRole } from './user.js';

export interface RegisterInput {
  phone: string;
  password: string;
  nickname: string;
  role?: UserRole;
}

const PHONE_PATTERN = /^1[3-9]\d{9}$/;
const PASSWORD_MIN_LENGTH = 8;

export class UserService {
  private readonly userNo: NoGenerator;
  private readonly visitNo: NoGenerator;

  constructor(
    private readonly users: Table<UserRow>,
    private readonly visits: Table<VisitRow>,
    private readonly sessions: SessionStore,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.userNo = new NoGenerator('U', clock);
    this.visitNo = new NoGenerator('V', clock);
  }

  async register(input: RegisterInput): Promise<UserRow> {
    if (!PHONE_PATTERN.test(input.phone)) throw new BizError(ErrorCode.ERR_PARAM, '手机号格式不正确');
    if (input.password.length < PASSWORD_MIN_LENGTH) throw new BizError(ErrorCode.ERR_PARAM, '密码至少 8 位');
    if (await this.findByPhone(input.phone)) throw new BizError(ErrorCode.ERR_PARAM, '手机号已注册');
    const user = await this.users.insert({
      user_id: this.userNo.next(),
      phone: input.phone,
      nickname: input.nickname,
      role: input.role ?? UserRole.BUYER,
      password_hash: await hashPassword(input.password),
    });
    this.logger.info('用户注册', { user_id: user.user_id, phone: maskPhone(user.phone) });
    return user;
  }

  /** 登录成功返回令牌。手机号不存在和密码错误给同一种错误，不让人试出哪些手机号注册过。 */
  async login(phone: string, password: string): Promise<string> {
    const user = await this.findByPhone(phone);
    if (!user || !(await verifyPassword(password, user.password_hash))) {
      throw new BizError(ErrorCode.ERR_UNAUTHORIZED, '手机号或密码不正确');
    }
    await this.recordVisit(user.user_id);
    return this.sessions.open(user.user_id);
  }

  /** 令牌 → 用户；失效抛 ERR_UNAUTHORIZED。 */
  async userOfToken(token: string | undefined): Promise<UserRow> {
    const userId = token === undefined ? undefined : this.sessions.touch(token);
    const user = userId === undefined ? undefined : await this.users.find(userId);
    if (!user) throw new BizError(ErrorCode.ERR_UNAUTHORIZED, '登录已失效');
    return user;
  }

  /** 记一次访问；日活按用户去重，这里不去重。 */
  async recordVisit(userId: string): Promise<void> {
    await this.visits.insert({ visit_no: this.visitNo.next(), user_id: userId, visited_at: this.clock.now() });
  }

  private async findByPhone(phone: string): Promise<UserRow | undefined> {
    const [user] = await this.users.list((row) => row.phone === phone);
    return user;
  }
}
