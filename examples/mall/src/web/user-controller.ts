/**
 * 用户接口：注册、登录、我的优惠券
 */
import type { App } from '../app.js';
import type { Router } from './router.js';
import { json, jsonBody, requiredText, withUser } from './router.js';

export function userRoutes(router: Router, { users, coupons }: App): void {
  router.add('POST', '/users', async (request) => {
    const body = jsonBody(request);
    // 角色不从请求里取：自己注册的一律是买家
    const user = await users.register({
      phone: requiredText(body, 'phone'),
      password: requiredText(body, 'password'),
      nickname: requiredText(body, 'nickname'),
    });
    return json({ userId: user.user_id, nickname: user.nickname }, 201);
  });

  router.add('POST', '/login', async (request) => {
    const body = jsonBody(request);
    return json({ token: await users.login(requiredText(body, 'phone'), requiredText(body, 'password')) });
  });

  router.add(
    'GET',
    '/coupons',
    withUser(users, async (_request, _params, user) => json(await coupons.listOf(user.user_id))),
  );
}
