import { describe, expect, it } from 'vitest';
import { type Described, phraseOf } from '../../src/zhcore/scan/phrase.js';

describe('the word in a comment', () => {
  it.each<[string, Described, string]>([
    ['订单管理Controller\nCreated by macro on 2018/10/11.', 'type', '订单'],
    ['角色表 sys_role\n\n@author ruoyi', 'type', '角色'],
    ['公告 信息操作处理\n\n@author ruoyi', 'type', '公告'],
    ['优惠券服务实现类', 'type', '优惠券'],
    ['用户信息表', 'type', '用户'],
    ['商品分类表', 'type', '商品分类'],
    ['日报表', 'type', '日报表'],
    ['支付方式：0->未支付；1->支付宝；2->微信', 'member', '支付方式'],
    ['物流公司(配送方式)', 'member', '物流公司'],
    ['登录 IP 地址', 'member', '登录IP地址'],
    ['SSH 管理', 'label', 'SSH管理'],
    ['已付款，待发货', 'member', '已付款'],
    ['批量发货', 'action', '批量发货'],
    ['退款申请', 'member', '退款申请'],
    ['审核中', 'label', '审核中'],
    ['用户管理', 'title', '用户'],
    ['文件管理', 'title', '文件管理'],
    ['<p>会员等级</p>', 'member', '会员等级'],
    ['一次访问，统计日活用。', 'member', '访问'],
    ['冻结"积分"', 'member', '冻结积分'],
    ['“待付款”订单', 'member', '待付款订单'],
    ['关闭「超时」订单', 'label', '关闭超时订单'],
    ['《隐私政策》版本', 'member', '隐私政策版本'],
    ["优惠券'核销'", 'member', '优惠券核销'],
    ['支付金额 单位分', 'member', '支付金额'],
    ['首重单位为克', 'member', '首重'],
    ["支付方式'0'现金 '1'刷卡", 'member', '支付方式'],
  ])('%j (%s) is %s', (text, kind, word) => {
    expect(phraseOf(text, kind)?.word).toBe(word);
  });

  it('leaves out the own name that a Go comment begins with', () => {
    expect(phraseOf('SysPosition 岗位(平表)', 'type', 'SysPosition')?.word).toBe('岗位');
  });

  it.each<[string, string]>([
    ['根据id查询订单列表', '订单'],
    ['分页查询优惠券', '优惠券'],
    ['批量删除字典数据', '字典数据'],
    ['获取超时订单\n@param minute 超时时间', '超时订单'],
  ])('%j tells of what it works on, weakly', (text, word) => {
    expect(phraseOf(text, 'action')).toMatchObject({ word, weak: true });
  });

  it('keeps what the comment says beyond the word', () => {
    expect(phraseOf('订单状态：0->待付款；1->待发货', 'member')?.note).toBe('0->待付款；1->待发货');
  });

  it.each([
    '主键',
    '单位分',
    '单位：分',
    '商品标签"热门"、"新品"',
    '商品标签“热门',
    '创建时间',
    '订单ID',
    '角色名称不能为空',
    '如果用户不存在则新建',
    '是否默认',
    '这里要注意并发',
    'TODO 以后改成异步',
    '版权所有 某某公司',
    'https://example.com/文档',
    '备注信息',
    '这是一个用来根据请求参数动态拼装各种查询条件的公共方法',
    'id',
    '',
  ])('%j holds no term', (text) => {
    expect(phraseOf(text, 'member')).toBeUndefined();
  });

  it('takes linear time on texts that never end', () => {
    for (const text of ['根据'.repeat(50_000), '（'.repeat(50_000), 'a '.repeat(50_000), '<'.repeat(50_000)])
      for (const kind of ['type', 'action', 'member', 'label'] as const) phraseOf(text, kind);
  });
});
