import { describe, expect, it } from 'vitest';
import { outline } from '../../src/code/index.js';
import { lines, names, symbol } from './support.js';

describe('Java', async () => {
  const o = await outline(
    'src/main/java/com/mall/order/OrderController.java',
    lines(
      'package com.mall.order;', // 1
      '',
      'import com.mall.common.*;',
      'import static com.mall.order.OrderState.PAID;',
      '', // 5
      '/**',
      ' * 订单管理接口',
      ' * Created by lisi on 2024/5/1.',
      ' */',
      '@RestController', // 10
      '@RequestMapping(value = "/order")',
      'public class OrderController extends BaseController {',
      '    public static final int MAX_RETRY = 3; // 最大重试次数',
      '    @ApiModelProperty("退款金额")',
      '    private BigDecimal refundAmount, realAmount;', // 15
      '',
      '    /** 取消订单 */',
      '    @PostMapping("/{id}/cancel")',
      '    public Result<Void> cancel(@PathVariable Long id) throws BizException {',
      '        throw new BizException("订单不存在");', // 20
      '    }',
      '    interface Callback { void done(); }',
      '}',
      'enum OrderState { PAID(1, "已支付"), CLOSED(2, "已关闭"); private int code; }',
    ),
  );

  it('names classes, members, constants, enum members and routes', () => {
    expect(names(o)).toEqual([
      'class OrderController',
      'constant OrderController.MAX_RETRY',
      'field OrderController.refundAmount',
      'field OrderController.realAmount',
      'method OrderController.cancel',
      'route OrderController.POST /order/{id}/cancel',
      'interface OrderController.Callback',
      'method Callback.done',
      'enum OrderState',
      'enum-member OrderState.PAID',
      'enum-member OrderState.CLOSED',
      'field OrderState.code',
    ]);
  });

  it('finds docs in comments, annotations and constants', () => {
    expect(symbol(o, 'MAX_RETRY').doc).toBe('最大重试次数');
    expect(symbol(o, 'refundAmount').doc).toBe('退款金额');
    expect(symbol(o, 'PAID').doc).toBe('已支付');
    expect(symbol(o, 'cancel')).toMatchObject({
      line: 19,
      endLine: 21,
      exported: true,
      doc: '取消订单',
      signature: 'Result<Void> cancel(@PathVariable Long id) throws BizException',
    });
    expect(symbol(o, 'POST /order/{id}/cancel')).toMatchObject({ line: 19, doc: '取消订单' });
  });

  it('lists imports, and summarises by the class comment', () => {
    expect(o.imports).toEqual([
      { source: 'com.mall.common.*', names: ['*'], line: 3 },
      { source: 'com.mall.order.OrderState.PAID', names: ['PAID'], line: 4 },
    ]);
    expect(o.summary).toMatch(/^订单管理接口：OrderController/);
    expect(o.strings.map((s) => s.text)).toEqual(['退款金额', '订单不存在', '已支付', '已关闭']);
  });

  it('reads several paths and verbs of one mapping', async () => {
    const many = await outline(
      'A.java',
      lines('class A {', '  @RequestMapping(path = {"/a", "/b"}, method = RequestMethod.DELETE)', '  void m() {}', '}'),
    );
    expect(many.symbols.filter((s) => s.kind === 'route').map((s) => s.name)).toEqual(['DELETE /a', 'DELETE /b']);
  });
});

describe('Python', async () => {
  const o = await outline(
    'order/service.py',
    lines(
      '#!/usr/bin/env python', // 1
      '# -*- coding: utf-8 -*-',
      '"""订单服务。',
      '',
      '负责关单。"""', // 5
      'import os, a.b as c',
      'from ..model import (Order, State as S)',
      '',
      'MAX_RETRY: int = 3  # 最大重试次数',
      '', // 10
      'class OrderService(Base):',
      '    """订单的增删改查"""',
      "    name = 'order'  # 名称",
      '',
      '    @property', // 15
      '    def total(self, a: int = 1) -> int:',
      '        """总额"""',
      '        value = "金额错误"',
      '        return value',
      '', // 20
      '# 查询订单',
      "@app.get('/orders/{id}')",
      'async def query(id): ...',
      '',
      "@bp.route('/pay', methods=['POST', 'PUT'])", // 25
      'def _pay(): pass',
    ),
  );

  it('names everything and knows what is private', () => {
    expect(names(o)).toEqual([
      'constant MAX_RETRY',
      'class OrderService',
      'field OrderService.name',
      'method OrderService.total',
      'function query',
      'route GET /orders/{id}',
      'function _pay',
      'route POST /pay',
      'route PUT /pay',
    ]);
    expect(symbol(o, '_pay').exported).toBe(false);
  });

  it('reads docstrings and comments above decorators', () => {
    expect(symbol(o, 'OrderService').doc).toBe('订单的增删改查');
    expect(symbol(o, 'total')).toMatchObject({
      doc: '总额',
      line: 16,
      endLine: 19,
      signature: 'total(self, a: int = 1) -> int',
    });
    expect(symbol(o, 'query')).toMatchObject({ doc: '查询订单', line: 23 });
    expect(symbol(o, 'MAX_RETRY').doc).toBe('最大重试次数');
    expect(o.headComment).toBe('订单服务。\n\n负责关单。');
    expect(o.strings).toEqual([{ line: 18, text: '金额错误' }]);
    expect(o.comments).toContainEqual({ line: 12, text: '订单的增删改查' });
  });

  it('lists imports', () => {
    expect(o.imports).toEqual([
      { source: 'os', names: [], line: 6 },
      { source: 'a.b', names: [], line: 6 },
      { source: '..model', names: ['Order', 'State'], line: 7 },
    ]);
  });
});

describe('Go', async () => {
  const o = await outline(
    'order/service.go',
    lines(
      '// Package order 订单服务', // 1
      'package order',
      'import (',
      '\t"fmt"',
      '\tpay "mall/payment"', // 5
      ')',
      '// Order 订单',
      'type Order struct {',
      '\tID, UserID int64 // 主键',
      '\tamount float64', // 10
      '}',
      'type Service interface { Cancel(ctx context.Context) error }',
      'const MaxRetry = 3 // 最大重试次数',
      'var ErrTimeout = errors.New("支付超时")',
      '// Cancel 取消订单', // 15
      'func (o *Order) Cancel(reason string) error { return nil }',
      'func Register(r *gin.Engine) {',
      '\tr.POST("/order/:id/cancel", cancel)',
      '}',
    ),
  );

  it('names types, fields, methods by receiver, values and routes', () => {
    expect(names(o)).toEqual([
      'class Order',
      'field Order.ID',
      'field Order.UserID',
      'field Order.amount',
      'interface Service',
      'method Service.Cancel',
      'constant MaxRetry',
      'constant ErrTimeout',
      'method Order.Cancel',
      'function Register',
      'route POST /order/:id/cancel',
    ]);
    expect(symbol(o, 'Cancel', 'Order')).toMatchObject({ doc: 'Cancel 取消订单', line: 16, exported: true });
    expect(symbol(o, 'amount').exported).toBe(false);
    expect(symbol(o, 'UserID').doc).toBe('主键');
  });

  it('lists imports and strings, and summarises', () => {
    expect(o.imports).toEqual([
      { source: 'fmt', names: [], line: 4 },
      { source: 'mall/payment', names: ['pay'], line: 5 },
    ]);
    expect(o.strings).toEqual([{ line: 14, text: '支付超时' }]);
    expect(o.summary).toMatch(/^订单服务：Order/);
  });
});
