import { describe, expect, it } from 'vitest';
import { outline } from '../../src/code/index.js';
import { lines, names, symbol } from './support.js';

describe('languages without a parser', () => {
  it('Kotlin', async () => {
    const o = await outline(
      'OrderController.kt',
      lines(
        'package com.mall',
        'import com.mall.order.OrderService',
        '/** 订单 */',
        'data class Order(val id: Long, val name: String)',
        '@RestController',
        '@RequestMapping("/order")',
        'class OrderController {',
        '  // 取消订单 class Fake',
        '  @PostMapping("/{id}/cancel")',
        '  fun cancel(id: Long): Int { return 1 }',
        '}',
        'enum class State(val text: String) {',
        '  PAID("已支付"),',
        '  CLOSED("已关闭");',
        '}',
        'const val MAX_RETRY = 3',
      ),
    );
    expect(o.by).toBe('pattern');
    expect(names(o)).toEqual([
      'class Order',
      'class OrderController',
      'method OrderController.cancel',
      'route OrderController.POST /order/{id}/cancel',
      'enum State',
      'enum-member State.PAID',
      'enum-member State.CLOSED',
      'constant MAX_RETRY',
    ]);
    expect(symbol(o, 'Order')).toMatchObject({ line: 4, endLine: 4, doc: '订单' });
    expect(symbol(o, 'cancel')).toMatchObject({ line: 10, doc: '取消订单 class Fake' });
    expect(symbol(o, 'PAID').doc).toBe('已支付');
    expect(o.imports).toEqual([{ source: 'com.mall.order.OrderService', names: [], line: 2 }]);
  });

  it('C and C++', async () => {
    const o = await outline(
      'order.cpp',
      lines(
        '#include <vector>',
        '#include "order.h"',
        '// 订单',
        'class Order : public Base {',
        'public:',
        '  virtual int cancel(int reason) const; // 取消',
        '};',
        '#define MAX_RETRY 3 // 最大重试次数',
        'int Order::cancel(int reason) const { if (reason) { return call("失败"); } return 0; }',
        'static void helper(',
        '    int a)',
        '{',
        '}',
      ),
    );
    expect(names(o)).toEqual([
      'class Order',
      'method Order.cancel',
      'constant MAX_RETRY',
      'method Order.cancel',
      'function helper',
    ]);
    expect(symbol(o, 'MAX_RETRY').doc).toBe('最大重试次数');
    expect(symbol(o, 'helper')).toMatchObject({ line: 10, endLine: 13, exported: false });
    expect(o.imports.map((i) => i.source)).toEqual(['vector', 'order.h']);
    expect(o.strings).toEqual([{ line: 9, text: '失败' }]);
  });

  it('C#', async () => {
    const o = await outline(
      'OrderController.cs',
      lines(
        'using System.Linq;',
        'namespace Mall {',
        '  /// <summary>订单接口</summary>',
        '  [Route("order")]',
        '  public class OrderController : ControllerBase {',
        '    public int Amount { get; set; } // 金额',
        '    /// <summary>取消订单</summary>',
        '    [HttpPost("{id}/cancel")]',
        '    public async Task<int> CancelAsync(int id) { return await Run(id); }',
        '    private const int Max = 3;',
        '  }',
        '  public interface IOrder { }',
        '}',
      ),
    );
    expect(names(o)).toEqual([
      'class OrderController',
      'field OrderController.Amount',
      'method OrderController.CancelAsync',
      'route OrderController.POST /order/{id}/cancel',
      'constant OrderController.Max',
      'interface IOrder',
    ]);
    expect(symbol(o, 'OrderController').doc).toBe('订单接口');
    expect(symbol(o, 'Amount').doc).toBe('金额');
    expect(symbol(o, 'Max').exported).toBe(false);
  });

  it('Rust', async () => {
    const o = await outline(
      'order.rs',
      lines(
        'use std::io::{Read, Write};',
        '/// 订单',
        '#[derive(Debug)]',
        'pub struct Order {',
        '    pub id: u64, // 主键',
        '}',
        'impl Order {',
        '    /// 取消',
        '    pub fn cancel(&self) -> Result<(), Error> { Ok(()) }',
        '}',
        'fn default() {}',
      ),
    );
    expect(names(o)).toEqual(['class Order', 'field Order.id', 'method Order.cancel', 'function default']);
    expect(symbol(o, 'Order').doc).toBe('订单');
    expect(symbol(o, 'id').doc).toBe('主键');
    expect(symbol(o, 'cancel')).toMatchObject({ exported: true, signature: 'cancel(&self) -> Result<(), Error>' });
    expect(o.imports).toEqual([{ source: 'std::io', names: ['Read', 'Write'], line: 1 }]);
  });

  it('PHP', async () => {
    const o = await outline(
      'OrderService.php',
      lines(
        '<?php',
        '// 订单服务',
        'namespace App;',
        'use App\\Models\\Order;',
        "require __DIR__ . '/pay.php';",
        '/** 订单 */',
        'class OrderService extends Base {',
        '  const MAX = 3;',
        '  private $repo;',
        '  /** 取消 */',
        "  public function cancel(int $id): bool { return '失败'; }",
        '}',
      ),
    );
    expect(names(o)).toEqual([
      'class OrderService',
      'constant OrderService.MAX',
      'field OrderService.repo',
      'method OrderService.cancel',
    ]);
    expect(o.headComment).toBe('订单服务');
    expect(o.imports.map((i) => i.source)).toEqual(['App\\Models\\Order', '/pay.php']);
    expect(o.strings.map((s) => s.text)).toEqual(['失败']);
  });

  it('Ruby and shell', async () => {
    const ruby = await outline(
      'order.rb',
      lines(
        "require_relative 'pay'",
        '# 订单',
        'class Order < Base',
        '  # 取消',
        '  def cancel(now)',
        '    1',
        '  end',
        '  def self.find; end',
        'end',
        'def top',
        'end',
      ),
    );
    expect(names(ruby)).toEqual(['class Order', 'method Order.cancel', 'method Order.find', 'function top']);
    expect(symbol(ruby, 'cancel')).toMatchObject({ line: 5, endLine: 7, doc: '取消' });
    const shell = await outline(
      'deploy.sh',
      lines(
        '#!/bin/bash',
        '# 部署脚本',
        'source ./env.sh',
        'APP=mall',
        '# 启动',
        'start() {',
        '  echo "启动 # 不是注释"',
        '}',
      ),
    );
    expect(names(shell)).toEqual(['constant APP', 'function start']);
    expect(shell.headComment).toBe('部署脚本');
    expect(shell.comments.map((c) => c.line)).toEqual([2, 5]);
  });
});

describe('SQL', async () => {
  const o = await outline(
    'schema.sql',
    lines(
      '-- 商城表结构',
      '',
      'CREATE TABLE IF NOT EXISTS `mall`.`t_order` (',
      "  `id` bigint NOT NULL COMMENT '主键',",
      '  status int DEFAULT 0, -- 状态',
      "  amount decimal(10,2) comment '金额(元)；含运费',",
      '  PRIMARY KEY (`id`),',
      '  KEY idx_status (status)',
      ") ENGINE=InnoDB COMMENT='订单';",
      'create table refund (id int);',
      "COMMENT ON TABLE refund IS '退款单';",
      "comment on column refund.id is '退款单号';",
      "ALTER TABLE t_order ADD COLUMN refund_type int COMMENT '退款类型';",
      '-- create table old (id int);',
      'CREATE OR REPLACE VIEW v_order AS SELECT 1;',
    ),
  );

  it('names tables, columns and views, with their comments', () => {
    expect(names(o)).toEqual([
      'class t_order',
      'field t_order.id',
      'field t_order.status',
      'field t_order.amount',
      'class refund',
      'field refund.id',
      'class v_order',
      'field t_order.refund_type',
    ]);
    expect(symbol(o, 't_order')).toMatchObject({ line: 3, doc: '订单' });
    expect(symbol(o, 'amount')).toMatchObject({ line: 6, doc: '金额(元)；含运费', signature: 'amount decimal(10,2)' });
    expect(symbol(o, 'status').doc).toBe('状态');
    expect(symbol(o, 'refund')).toMatchObject({ doc: '退款单' });
    expect(symbol(o, 'id', 'refund').doc).toBe('退款单号');
    expect(symbol(o, 'refund_type')).toMatchObject({ line: 13, container: 't_order', doc: '退款类型' });
  });

  it('takes the head comment for the summary', () => {
    expect(o.summary).toMatch(/^商城表结构/);
  });
});

describe('MyBatis XML', () => {
  it('names the mapper, its statements, and leads to the interface', async () => {
    const o = await outline(
      'OrderMapper.xml',
      lines(
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<mapper namespace="com.mall.order.OrderMapper">',
        '  <sql id="columns">id, status</sql>',
        '  <!-- 查询超时未付款的订单 -->',
        '  <select id="selectExpired" resultType="Order">',
        "    select * from t_order where remark = '超时' and status &lt; 2",
        '  </select>',
        '  <update id="close">update t_order set status = 3</update>',
        '</mapper>',
      ),
    );
    expect(names(o)).toEqual([
      'interface OrderMapper',
      'constant OrderMapper.columns',
      'method OrderMapper.selectExpired',
      'method OrderMapper.close',
    ]);
    expect(symbol(o, 'selectExpired')).toMatchObject({
      line: 5,
      endLine: 7,
      doc: '查询超时未付款的订单',
      signature: 'select selectExpired: Order',
    });
    expect(o.imports).toEqual([{ source: 'com.mall.order.OrderMapper', names: ['OrderMapper'], line: 2 }]);
    expect(o.summary).toBe('OrderMapper：查询超时未付款的订单');
  });

  it('reads other XML as comments and texts', async () => {
    const o = await outline(
      'strings.xml',
      '<resources>\n  <!-- 订单 -->\n  <string name="cancel">取消订单</string>\n</resources>\n',
    );
    expect(o.symbols).toEqual([]);
    expect(o.strings).toEqual([{ line: 3, text: '取消订单' }]);
    expect(o.comments).toEqual([{ line: 2, text: '订单' }]);
  });
});
