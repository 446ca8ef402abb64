// A project layer of any size, made of words that a business system is full of: the same parts come again and again, as in a
// real one, so that nothing is found by a rare word alone.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const THINGS =
  '订单 退款 库存 优惠券 会员 发票 物流 支付 账单 结算 对账 商品 类目 品牌 仓库 门店 员工 角色 菜单 租户 合同 审批 工单 客户 线索 商机 积分 余额 红包 活动 消息 短信 邮件 模板 任务 调度 报表 指标 埋点 标签 地址 购物车 售后 换货 评价 直播 课程 考试 题库 设备 告警 日志 配置 字典 附件 图片 视频 文章 评论 渠道 供应商 采购 盘点'.split(
    ' ',
  );
const ACTS =
  '审核 导出 导入 同步 取消 关闭 锁定 解锁 冻结 解冻 扣减 回滚 重试 超时 拆分 合并 分配 转移 归档 恢复 校验 核销 发放 撤回 催办 统计 汇总 计算 推送 订阅 预警 排序 筛选 去重 脱敏 加密 续期 延期 补偿 通知 登记 作废 签收 打印 绑定 解绑'.split(
    ' ',
  );
const HOW = ['', '批量', '自动', '定时', '跨店', '部分'];
const MODULES = ['order', 'finance', 'user', 'stock', 'report', 'message'];

/** `count` distinct words such as 批量订单审核. */
function words(count: number): string[] {
  const list: string[] = [];
  for (const how of HOW)
    for (const thing of THINGS)
      for (const act of ACTS) {
        if (list.length === count) return list;
        list.push(how + thing + act);
      }
  return list;
}

/** How many entries of each kind make `total`. */
export function sharesOf(total: number) {
  const [warnings, playbooks, documents] = [total * 0.08, total * 0.02, total * 0.1].map(Math.round) as [
    number,
    number,
    number,
  ];
  return { terms: total - warnings - playbooks - documents, warnings, playbooks, documents };
}

const camel = (i: number) => `handler${i}`;

/**
 * Writes a layer of `total` entries below `dir` (`.xihe/`).
 *
 * @returns requests about it, some of which name nothing that it holds
 */
export function writeLayer(dir: string, total: number): string[] {
  const { terms, warnings, playbooks, documents } = sharesOf(total);
  const list = words(terms);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  const term = (word: string, i: number) =>
    `- id: t${i}\n  keyword_ch: ${word}\n  aliases: [${word.slice(-2)}${word.slice(0, -2)}, ${word}规则]\n  code_symbols: [Service${i % 97}.${camel(i)}]\n  module: ${MODULES[i % MODULES.length]}\n  note: ${word}只在状态允许时进行。\n  confidence: high\n  status: verified\n  source: repo://src/m${i % 97}.ts\n`;
  for (let i = 0; i < terms; i += 100)
    write(
      `knowledge/terms/t${i}.yaml`,
      list
        .slice(i, i + 100)
        .map((word, n) => term(word, i + n))
        .join(''),
    );
  const warning = (i: number) =>
    `- id: w${i}\n  danger: ${list[i * 7]}不能做两次\n  when:\n    keywords: [${list[i * 7]}]\n    symbols: [${camel(i)}]\n    paths: ['src/m${i % 97}/**']\n  source: 代码审查\n`;
  write('knowledge/warnings/w.yaml', Array.from({ length: warnings }, (_, i) => warning(i)).join(''));
  for (let i = 0; i < playbooks; i++)
    write(
      `playbooks/p${i}.md`,
      `---\ntrigger_keywords: [新增${list[i * 11]}, 改${list[i * 11]}]\nsteps: [先读约定, 再改代码, 补测试]\n---\n`,
    );
  for (let i = 0; i < documents; i++) {
    const word = list[i * 5] as string;
    const body = `${word}要先确认权限和状态，再写入流水。金额一律用分，失败要能重来，重来的结果和一次相同。\n`.repeat(
      5,
    );
    write(
      `knowledge/docs/d${i}.md`,
      `---\ntitle: ${word}说明\nkeywords: [${word}说明, ERR_${i}]\nsummary: ${word}怎么做\n---\n## 约定\n\n${body}`,
    );
  }
  write('modules.yaml', MODULES.map((name) => `${name}: [src/${name}/**]\n`).join(''));
  return requestsFor(list);
}

function requestsFor(list: readonly string[]): string[] {
  const shapes = [
    (w: string) => `给${w}加一次重试`,
    (w: string) => `${w}以后状态不对，帮我看一下为什么`,
    (w: string) => `新增一个${w}的接口，返回分页列表`,
    (w: string) => `${w.slice(0, -2)}的时候报错 NullPointerException，${w.slice(-2)}要能重来`,
    () => '这个项目怎么启动，需要装哪些依赖',
    () => '把首页的按钮颜色改成蓝色，字号再大一点',
  ];
  return Array.from({ length: 600 }, (_, i) =>
    (shapes[i % shapes.length] as (w: string) => string)(list[(i * 13) % list.length] as string),
  );
}
