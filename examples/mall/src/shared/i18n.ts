/**
 * 文案
 *
 * 文案放在 i18n/ 下的 JSON 里，键按模块嵌套，代码里写成点号路径：t('order.cancel.expired', { minutes: 30 })。
 * 给用户看的中文不要写死在代码里；日志例外，日志是给我们自己看的。
 */
import { readFileSync } from 'node:fs';

export type Locale = 'zh-CN' | 'en';
export const DEFAULT_LOCALE: Locale = 'zh-CN';

interface MessageTree {
  [key: string]: string | MessageTree;
}

const loaded = new Map<Locale, MessageTree>();

function messagesOf(locale: Locale): MessageTree {
  let tree = loaded.get(locale);
  if (!tree) {
    const file = new URL(`../../i18n/${locale}.json`, import.meta.url);
    tree = JSON.parse(readFileSync(file, 'utf8')) as MessageTree;
    loaded.set(locale, tree);
  }
  return tree;
}

/**
 * 取文案并填入参数。
 *
 * @param key 点号路径
 * @param params 替换文案里的 {name}
 * @throws 键不存在时抛错：漏了文案要在测试里就发现，不能把键名显示给用户
 */
export function t(key: string, params: Record<string, string | number> = {}, locale: Locale = DEFAULT_LOCALE): string {
  let node: string | MessageTree | undefined = messagesOf(locale);
  for (const part of key.split('.')) node = typeof node === 'object' ? node[part] : undefined;
  if (typeof node !== 'string') throw new Error(`缺少文案：${key}（${locale}）`);
  return node.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
}

/** Accept-Language 请求头 → 语言，认不出就用中文。 */
export function localeOf(acceptLanguage: string | undefined): Locale {
  return acceptLanguage?.trim().toLowerCase().startsWith('en') ? 'en' : DEFAULT_LOCALE;
}
