/**
 * 权限
 *
 * 两道关：功能权限（这个角色能不能做这件事）和数据权限（这条数据归不归他看）。
 * 只查功能权限会越权：买家有 order:read，但只能读自己的订单。
 * 前端按钮的显隐用的是同一套权限点，但后端必须再查一次，不能只靠按钮不显示。
 */
import { BizError, ErrorCode } from '../shared/errors.js';
import type { UserRow } from '../user/user.js';
import { UserRole } from '../user/user.js';

/** 权限点，命名为 资源:动作。 */
export type Permission =
  | 'order:read'
  | 'order:export'
  | 'order:ship'
  | 'order:close'
  | 'refund:create'
  | 'refund:audit'
  | 'report:view'
  | 'settlement:run';

export const ROLE_PERMISSIONS: Record<UserRole, readonly Permission[]> = {
  [UserRole.BUYER]: ['order:read'],
  [UserRole.SERVICE]: ['order:read', 'order:ship', 'refund:create', 'refund:audit'],
  [UserRole.FINANCE]: ['order:read', 'order:export', 'report:view', 'settlement:run'],
  [UserRole.ADMIN]: [
    'order:read',
    'order:export',
    'order:ship',
    'order:close',
    'refund:create',
    'refund:audit',
    'report:view',
    'settlement:run',
  ],
};

/** 数据权限：能看到哪些人的数据。 */
export enum DataScope {
  /** 只能看自己的 */
  SELF = 'SELF',
  /** 能看全部 */
  ALL = 'ALL',
}

export const ROLE_DATA_SCOPE: Record<UserRole, DataScope> = {
  [UserRole.BUYER]: DataScope.SELF,
  [UserRole.SERVICE]: DataScope.ALL,
  [UserRole.FINANCE]: DataScope.ALL,
  [UserRole.ADMIN]: DataScope.ALL,
};

/** 归属于某个用户的数据。 */
export interface Owned {
  user_id: string;
}

export class PermissionService {
  can(user: UserRow, permission: Permission): boolean {
    return ROLE_PERMISSIONS[user.role].includes(permission);
  }

  /** 没有功能权限就抛 ERR_FORBIDDEN。 */
  require(user: UserRow, permission: Permission): void {
    if (!this.can(user, permission)) {
      throw new BizError(ErrorCode.ERR_FORBIDDEN, `${user.user_id} 没有权限 ${permission}`);
    }
  }

  canSee(user: UserRow, data: Owned): boolean {
    return ROLE_DATA_SCOPE[user.role] === DataScope.ALL || data.user_id === user.user_id;
  }

  /**
   * 数据不归他看就抛 ERR_NOT_FOUND 而不是 ERR_FORBIDDEN：
   * 后者等于告诉对方“这个单号存在”，可以拿来猜单号。
   */
  requireVisible(user: UserRow, data: Owned): void {
    if (!this.canSee(user, data)) throw new BizError(ErrorCode.ERR_NOT_FOUND, `${user.user_id} 看不到这条数据`);
  }

  /** 列表接口用：只留下他能看的。 */
  filterVisible<T extends Owned>(user: UserRow, rows: readonly T[]): T[] {
    return rows.filter((row) => this.canSee(user, row));
  }
}
