-- 商城库表（一期建库脚本，只作对照，字段以各模块的 Row 类型为准）
-- 金额字段单位一律为分；时间字段为毫秒时间戳

create table orders (
  order_no        varchar(32)  not null comment '订单号',
  user_id         varchar(32)  not null comment '买家',
  state           varchar(32)  not null comment '订单状态：待付款、已付款、已发货、已完成、已关闭',
  total_amount    bigint       not null comment '总额（分）',
  discount_amount bigint       not null comment '优惠（分）',
  balance_amount  bigint       not null comment '余额抵扣（分）',
  payable_amount  bigint       not null comment '应付（分）',
  cancel_reason   varchar(16)  null     comment '关单原因：用户取消、超时',
  version         int          not null comment '乐观锁版本号',
  gmt_create      bigint       not null comment '创建时间',
  gmt_modified    bigint       not null comment '修改时间',
  primary key (order_no),
  key idx_state_create (state, gmt_create) comment '超时关单扫描用'
) comment '订单';

create table refunds (
  refund_no      varchar(32) not null comment '退款单号',
  order_no       varchar(32) not null comment '订单号',
  payment_no     varchar(32) null     comment '退的是哪一笔支付',
  initiator_type varchar(32) not null comment '发起类型：退货退款、仅退款、商家、系统',
  state          varchar(32) not null comment '退款状态',
  amount         bigint      not null comment '退款总额（分）',
  version        int         not null comment '乐观锁版本号',
  gmt_create     bigint      not null comment '创建时间',
  gmt_modified   bigint      not null comment '修改时间',
  primary key (refund_no),
  key idx_order (order_no)
) comment '退款单';
