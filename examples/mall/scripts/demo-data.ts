/**
 * 演示数据：几件商品、一个买家、一个管理员
 */
import type { App } from '../src/app.js';
import type { UserRow } from '../src/user/user.js';
import { UserRole } from '../src/user/user.js';

/** 只用于本机演示；线上账号由管理后台创建。 */
export const DEMO_PASSWORD = 'demo-only-2024';

export async function loadDemoData(app: App): Promise<{ buyer: UserRow; admin: UserRow }> {
  app.catalog.put({ sku: 'TEA-001', title: '明前龙井 50g', unit_price: 12_800 });
  app.catalog.put({ sku: 'CUP-002', title: '青瓷茶杯', unit_price: 4_900 });
  await app.inventory.stockIn('TEA-001', 100);
  await app.inventory.stockIn('CUP-002', 40);
  const buyer = await app.users.register({ phone: '13800000001', password: DEMO_PASSWORD, nickname: '小满' });
  const admin = await app.users.register({
    phone: '13800000002',
    password: DEMO_PASSWORD,
    nickname: '管理员',
    role: UserRole.ADMIN,
  });
  return { buyer, admin };
}
