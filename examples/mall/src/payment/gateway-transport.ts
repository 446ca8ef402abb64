/**
 * 与支付网关通信
 *
 * 超时与失败必须分清：超时（ERR_TIMEOUT）表示结果未知，钱可能已经动了；
 * 网关明确返回错误（ERR_CHANNEL_REJECTED）才是失败。
 */
import { BizError, ErrorCode } from '../shared/errors.js';

export interface GatewayRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface GatewayTransport {
  /** 返回应答的 JSON 对象。 */
  send(request: GatewayRequest): Promise<Record<string, unknown>>;
}

/** 单次请求最长等待。渠道文档建议 5 秒起，收银台的总等待上限是 8 秒。 */
export const GATEWAY_TIMEOUT_MS = 5_000;

export class HttpTransport implements GatewayTransport {
  constructor(private readonly timeoutMs = GATEWAY_TIMEOUT_MS) {}

  async send({ method, url, headers, body }: GatewayRequest): Promise<Record<string, unknown>> {
    const response = await this.fetchInTime(url, {
      method,
      headers,
      ...(method === 'POST' ? { body } : {}),
      signal: AbortSignal.timeout(this.timeoutMs),
    });
    // 5xx 说明网关自己没处理完，结果同样未知
    if (response.status >= 500) throw new BizError(ErrorCode.ERR_TIMEOUT, `支付网关异常：${response.status} ${url}`);
    const text = await response.text();
    if (!response.ok) throw new BizError(ErrorCode.ERR_CHANNEL_REJECTED, `支付网关拒绝：${response.status} ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  }

  private async fetchInTime(url: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, init);
    } catch (cause) {
      throw new BizError(ErrorCode.ERR_TIMEOUT, `支付网关超时或连接中断：${url}`, { cause });
    }
  }
}

/** 取应答里的字符串字段；缺了就当渠道拒绝，不能拿 undefined 继续走。 */
export function textField(response: Record<string, unknown>, field: string): string {
  const value = response[field];
  if (typeof value !== 'string') {
    throw new BizError(ErrorCode.ERR_CHANNEL_REJECTED, `支付网关应答缺少字段：${field}`);
  }
  return value;
}
