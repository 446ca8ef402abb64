import { plainBlock } from '../../text/index.js';
import type { McpReply } from './types.js';

/** Kept of one reply: head and tail, in characters; about ten times what a tool result may hold in the end. */
const MAX_REPLY_CHARS = 60_000;
/** Blocks of one reply that are looked at. */
const MAX_BLOCKS = 200;

/** A block of a reply, loosely: servers send more kinds than any client knows. */
interface Block {
  type?: unknown;
  text?: unknown;
  mimeType?: unknown;
  data?: unknown;
  uri?: unknown;
  name?: unknown;
  resource?: { uri?: unknown; text?: unknown; mimeType?: unknown; blob?: unknown };
}

/**
 * A server's reply as text that a model may read: texts as they are, everything else by what it is.
 *
 * @param secrets values that we gave the server, and that it must not show to the model
 */
export function replyOf(
  raw: { content?: unknown; structuredContent?: unknown; isError?: unknown },
  secrets: readonly string[],
): McpReply {
  const blocks = Array.isArray(raw.content) ? (raw.content as Block[]) : [];
  const parts = blocks.slice(0, MAX_BLOCKS).map(textOf);
  if (blocks.length > MAX_BLOCKS) parts.push(`（还有 ${blocks.length - MAX_BLOCKS} 段没有展示）`);
  let text = parts.filter(Boolean).join('\n');
  if (text === '' && raw.structuredContent !== undefined) text = JSON.stringify(raw.structuredContent);
  return { text: cut(withoutSecrets(plainBlock(text), secrets)), isError: raw.isError === true };
}

function textOf(block: Block): string {
  if (block.type === 'text') return typeof block.text === 'string' ? block.text : '';
  if (block.type === 'resource') {
    const { uri, text, mimeType, blob } = block.resource ?? {};
    if (typeof text === 'string') return `【${String(uri ?? '')}】\n${text}`;
    return `[资源 ${String(uri ?? '')}，${String(mimeType ?? '')}，${kilobytes(blob)}，没有展示]`;
  }
  if (block.type === 'resource_link') return `[资源 ${String(block.name ?? '')} ${String(block.uri ?? '')}]`;
  if (block.type === 'image' || block.type === 'audio')
    return `[${block.type === 'image' ? '图片' : '声音'} ${String(block.mimeType ?? '')}，${kilobytes(block.data)}，没有展示]`;
  return '[不认识的内容，没有展示]';
}

/** Size of base64 data. */
function kilobytes(data: unknown): string {
  return typeof data === 'string' ? `${Math.ceil((data.length * 3) / 4 / 1024)} KB` : '大小不明';
}

function cut(text: string): string {
  if (text.length <= MAX_REPLY_CHARS) return text;
  const half = MAX_REPLY_CHARS / 2;
  const left = text.length - MAX_REPLY_CHARS;
  // No half of a character pair at the cuts.
  const [head, tail] = [
    text.slice(0, half).replace(/[\ud800-\udbff]$/, ''),
    text.slice(-half).replace(/^[\udc00-\udfff]/, ''),
  ];
  return `${head}\n……（中间省略 ${left} 字）……\n${tail}`;
}

/** A text without values that must not be seen. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((t, secret) => t.replaceAll(secret, '***'), text);
}
