/**
 * Words that carry no meaning of their own in a developer's request: particles, pronouns, question words, polite words, and the
 * verbs and measure words of asking (帮我看一下). Source: the usual function words of Chinese and English stop lists, cut down to
 * those that never name a thing in code; negations (不, 没, 未) stay out, since 未付款 and 付款 differ.
 */
const CHINESE = `
的 了 着 过 地 得 之 其 所 与 和 及 或 而 且 但 并 并且 而且 但是 不过 然后 以及 还是 或者 如果 要是 假如 因为 所以 由于 因此 虽然 即使 只要
在 于 从 自 向 往 到 对 对于 关于 给 把 被 让 使 由 以 按 按照 根据 通过 为 为了 跟 同 比 除了 里 里面 中 上 下 内 外 前 后 时 时候 之后 之前 以后 以前
我 你 您 他 她 它 我们 你们 咱们 他们 大家 自己 这 那 这个 那个 这些 那些 这里 那里 这边 那边 这样 那样 此 该 本 某 各 每 另 另外 其他 其它
是 有 也 都 就 才 又 再 还 很 太 更 最 挺 比较 非常 已 已经 正在 刚 刚刚 曾 将 会 能 可 可以 可能 应 应该 应当 需 需要 要 想 想要 得了 必须
吗 么 呢 吧 啊 呀 嘛 哦 哈 啦 嗯 喔 呗 哪 哪个 哪些 哪里 哪儿 谁 什么 啥 是啥 怎么 怎样 怎么样 怎么办 如何 为何 为什么 为啥 咋 多少 几 几个 是否 能否 可否 是不是 有没有 能不能 可不可以
请 请问 麻烦 谢谢 多谢 感谢 辛苦 劳烦 拜托 你好 您好 哈喽 大佬 帮 帮忙 帮我 帮我们 帮助 一下 一下子 看 看看 看下 看一下 查查 说说 讲讲 想问 问下 问一下 告诉 知道
一 一个 一些 一点 一种 一样 个 只 条 次 种 些 点 下去 起来 出来 进行 做 弄 搞 来 去 用 东西 事情 情况 问题 地方 相关 有关 目前 现在 当前 今天 一直 总是 经常 时 当 等 等等 例如 比如
`;

const ENGLISH = `
a an the and or but if then else of in on at to from by for with without into as is are was were be been being am do does did done has have had
i you he she it we they me him her us them my your his its our their this that these those here there what which who whom whose when where why how
can could may might must shall should will would please thanks thank hi hello help need want let just so than too very also about any some
`;

const STOP = new Set(`${CHINESE} ${ENGLISH}`.trim().split(/\s+/));

/**
 * Tells whether a folded word carries no meaning for search.
 *
 * @param w one word, folded (see fold.ts)
 */
export function isStopWord(w: string): boolean {
  return STOP.has(w);
}
