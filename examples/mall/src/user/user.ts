/**
 * 用户与访问记录
 */
import type { Timestamp } from '../shared/clock.js';
import type { BaseRow } from '../shared/db.js';

export enum UserRole {
  /** 买家 */
  BUYER = 'BUYER',
  /** 客服 */
  SERVICE = 'SERVICE',
  /** 财务 */
  FINANCE = 'FINANCE',
  /** 管理员 */
  ADMIN = 'ADMIN',
}

export interface UserRow extends BaseRow {
  user_id: string;
  phone: string;
  nickname: string;
  role: UserRole;
  /** 盐和摘要，见 password.ts；任何接口都不返回它。 */
  password_hash: string;
}

/** 一次访问，统计日活用。 */
export interface VisitRow extends BaseRow {
  visit_no: string;
  user_id: string;
  visited_at: Timestamp;
}
