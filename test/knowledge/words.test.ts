import { describe, expect, it } from 'vitest';
import { prepare, WordMatcher } from '../../src/knowledge/index.js';

const matcher = new WordMatcher<string>();
for (const word of ['下单', '对账', '卡密', '日切', '秒杀', '补单', '关单', '售后', '日报', '退款'])
  matcher.add(word, word);
const found = (text: string) => matcher.find(prepare(text)).map((match) => match.word);

describe('words of two characters', () => {
  it.each([
    ['改一下单号', '下单'],
    ['看一下单页应用', '下单'],
    ['检查一下单元测试', '下单'],
    ['对账号做校验', '对账'],
    ['SIM 卡密码', '卡密'],
    ['11 日切换', '日切'],
    ['5 秒杀掉进程', '秒杀'],
    ['补单元测试', '补单'],
    ['机关单位信息', '关单'],
    ['销售后三天', '售后'],
  ])('%s holds no %s', (text, word) => expect(found(text)).not.toContain(word));

  it.each([
    ['下单超时', '下单'],
    ['一下单就报错', '下单'],
    ['用户下单后短信没收到', '下单'],
    ['帮我下单', '下单'],
    ['对账', '对账'],
    ['和银行对账不平', '对账'],
    ['补单流程', '补单'],
    ['超时关单加重试', '关单'],
    ['日报导出', '日报'],
    ['申请售后的订单', '售后'],
    ['秒杀活动', '秒杀'],
    ['退款到余额', '退款'],
  ])('%s holds %s', (text, word) => expect(found(text)).toContain(word));
});
