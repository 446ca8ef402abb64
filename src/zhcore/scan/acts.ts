import { roleOfType } from './names.js';
import type { SymbolRef, SymbolRole } from './types.js';

/** Classes of a program's own machinery, by what their names begin with. */
export const MACHINERY =
  /^I?(?:Common|Base|Abstract|Generic|Global|Ajax|Api(?:Result|Response|Exception)|Http|Rest(?:Result|Response)|R$|Result|Page|Web(?:Log|Mvc|Config)|Swagger|Jwt|Xss|Cors|Csrf|Druid|Mybatis|MyBatis|Redis(?:Service|Cache|Config|Util|Template)|Thread|Async|Spring|Reflect|String|Date|Bean|Json|Escape|Excel|TableData|TableSupport|Tree|Desensitized|Constants?$|Err(?:or)?(?:Code)?$|IErr|Router|Meta|Oss|Minio|Es(?:Config|Util)|Rabbit|Kafka|Logback)/;

/**
 * What people do in systems of all trades, as comments and buttons of Chinese projects call it. Own knowledge; what only reads, shows or
 * stores (查询, 展示, 保存) is not among it.
 */
const ACTS =
  '发货 收货 取消 确认 申请 审核 审批 支付 付款 退款 退货 换货 退换 售后 下单 结算 结账 核销 领取 领券 发放 派发 推荐 上架 下架 上下架 关注 收藏 评价 回复 评论 签到 登录 登陆 登出 退出 注册 注销 解锁 锁定 冻结 解冻 分配 授权 绑定 解绑 转移 转让 转交 转办 委派 撤回 撤销 撤单 驳回 拒绝 同意 提交 发起 发送 发布 推送 同步 拉取 备份 还原 恢复 暂停 启动 重启 停止 停用 启用 禁用 部署 回滚 升级 安装 卸载 扩容 缩容 调度 执行 运行 回调 通知 提醒 标记 备注 关闭 开启 开通 激活 禁言 封禁 解封 拉黑 移出 踢出 踢人 强退 强制退出 加入 邀请 解散 置顶 重置 修改密码 找回 改价 调价 调整 报工 排产 排班 入库 出库 移库 盘点 调拨 补货 采购 询价 报价 充值 提现 转账 打款 开票 对账 清分 抵扣 返利 分账 认证 签名 签收 派单 接单 抢单 抢购 秒杀 砍价 拼团 预约 挂号 借阅 归还 续借 续费 报名 投票 打卡 评分 投诉 举报 跟进 导入 归档 迁移 订阅 取关 点赞 转发 分享 作废 终止 完成 关单 催办 催单 延期 扣减 释放 占用 回收 清理 检测 扫描 诊断 合并 拆分 上传 生成 搜索 上报 下发 发券 签约 解约 接听 挂断 通话 放入 领用 报废 巡检 维修 保养 测温 打印 抄送 加签 减签 挂起 唤醒 补签 补录 补发 重发 重试 重推 变更 交接 移交 登记 报修 缴费 欠费 减免 赔付 理赔 投保 退保 承保 核保 开户 销户 放款 还款 催收 贴现 授信 评级 入账 出账 记账 冲正 冲红 红冲 过账 结转 对接 转正 离职 入职 请假 加班 报销 招聘 面试 录用';
const ACT = new RegExp(ACTS.trim().split(/\s+/).join('|'));
/** What a word of things ends with, whatever act stands before it: 登录日志, 退货原因. */
const THING =
  /(?:管理|信息|日志|数据|记录|列表|参数|类型|配置|状态|时间|日期|原因|方式|金额|数量|次数|用户|字典|设置|详情|结果|内容|对象|说明|缓存|排行|统计|索引|接口|规则|模板|地址|权限|成员|条件)$/;

/** Tells whether a phrase speaks of something that people do. */
export function saysAct(word: string): boolean {
  return ACT.test(word) && !THING.test(word);
}

/** Names of methods that read, convert, or belong to the program itself. */
const NO_ACT =
  /^(?:get|select|query|list|find|is|has|load|fetch|count|page|to|convert|format|handle|on|set|init|flush|build|parse|check|validate|schedule|start[A-Z]|auto|pre|after|before|do|export|index)(?:[A-Z_]|$)/;
/** Folders of the functions that call a server. */
const CALLS = /(?:^|\/)(?:apis?|services?|requests?|stores?)\//i;

/** The role of the class that a member belongs to. */
export function ownerRole(container: string): SymbolRole {
  return roleOfType(container.replace(/Impl$/, ''), 'class', false);
}

/** Tells whether a symbol is something that the system does for people: a method of a service or a controller, a call of a page. */
export function isAct(word: string, { role, name, container, file }: SymbolRef): boolean {
  if (!saysAct(word) || NO_ACT.test(name) || name === container) return false;
  if (role === 'function') return container === undefined && CALLS.test(file);
  if (role !== 'method' || container === undefined || MACHINERY.test(container)) return false;
  const owner = ownerRole(container);
  return owner === 'service' || owner === 'layer' || CALLS.test(file);
}
