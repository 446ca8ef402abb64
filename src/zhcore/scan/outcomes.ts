import type { CodeSymbol, Outline } from '../../code/index.js';
import { saysAct } from './acts.js';
import type { Saying } from './mentions.js';
import type { SymbolRef } from './types.js';

/** 下单成功, 支付失败！ : what a function tells people that it has done. */
const OUTCOME = /^(\p{Script=Han}{2,6}?)(?:已经?)?(?:成功|失败)(?:了)?[!！。.~]*$/u;
/** Words of a method's own result, whatever it does. */
const ANY_RESULT =
  /^(?:操作|执行|处理|请求|调用|响应|返回|提交|保存|设置|更新|修改|删除|添加|新增|创建|获取|查询|加载|上传|下载|复制|导入|导出|发送|连接|初始化|解析|转换|校验|验证|参数|文件|数据|系统|服务|接口).{0,2}$/;

/** Finds messages of outcomes inside of functions and methods: they say in a person's words what the function does. */
export function outcomesOf(
  outline: Outline,
  symbols: readonly CodeSymbol[],
  refs: ReadonlyMap<CodeSymbol, SymbolRef>,
): Saying[] {
  const bodies = symbols.filter(({ kind }) => kind === 'method' || kind === 'function');
  return outline.strings.flatMap(({ text, line }) => {
    const said = OUTCOME.exec(text.trim())?.[1];
    if (said === undefined || ANY_RESULT.test(said) || !saysAct(said)) return [];
    const inner = bodies
      .filter((body) => body.line <= line && line <= body.endLine)
      .sort((a, b) => a.endLine - a.line - (b.endLine - b.line))[0];
    const symbol = inner === undefined ? undefined : refs.get(inner);
    return symbol === undefined ? [] : [{ text: said, kind: 'message', describes: 'action', symbol, line }];
  });
}
