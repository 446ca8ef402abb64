/**
 * 微信支付回调：验签与解密
 *
 * 验签用四个请求头：Wechatpay-Timestamp、Wechatpay-Nonce、Wechatpay-Signature、Wechatpay-Serial。
 * 待签名串是「时间戳\n随机串\n请求体原文\n」，三行每行末尾都有换行，最后一行也有。
 * 请求体必须是收到的原文，JSON.parse 再 stringify 回去字段顺序和空格可能变，验签就不过了。
 */
import type { KeyObject } from 'node:crypto';
import { createDecipheriv, createPublicKey, createVerify } from 'node:crypto';
import type { Clock } from '../../shared/clock.js';
import { MINUTE_MS } from '../../shared/clock.js';
import { BizError, ErrorCode } from '../../shared/errors.js';
import type { NotifyRequest, PaymentNotice } from '../payment-channel.js';

/** 回调时间戳允许的偏差，超过就当重放，与渠道文档的建议一致。 */
const NOTIFY_TOLERANCE_MS = 5 * MINUTE_MS;
/** AEAD_AES_256_GCM 的密文末尾 16 字节是认证标签。 */
const GCM_TAG_BYTES = 16;

/** 通知里的加密数据。 */
interface EncryptedResource {
  ciphertext: string;
  nonce: string;
  associated_data: string;
}

/** 解密后的交易，只列用得到的字段。 */
export interface WechatTransaction {
  out_trade_no: string;
  transaction_id: string;
  trade_state: string;
  amount: { total: number };
}

/**
 * 微信支付平台证书
 *
 * 平台证书会轮换，新旧证书有一段时间并存，所以要按回调头里的序列号 Wechatpay-Serial 找公钥，不能写死一张。
 */
export class CertificateStore {
  private readonly keys = new Map<string, KeyObject>();

  /** @param pem 平台证书或公钥，PEM 格式 */
  add(serial: string, pem: string): this {
    this.keys.set(serial, createPublicKey(pem));
    return this;
  }

  /** 没有这个序列号抛 ERR_CERT_UNKNOWN：多半是平台证书轮换了，本地还没更新。 */
  get(serial: string): KeyObject {
    const key = this.keys.get(serial);
    if (!key) throw new BizError(ErrorCode.ERR_CERT_UNKNOWN, `没有序列号为 ${serial} 的平台证书`);
    return key;
  }
}

/** 回调验签；不通过抛 ERR_SIGN_INVALID，过期抛 ERR_NOTIFY_EXPIRED，证书未知抛 ERR_CERT_UNKNOWN。 */
export function verifyWechatSignature(request: NotifyRequest, certificates: CertificateStore, clock: Clock): void {
  const timestamp = headerOf(request, 'wechatpay-timestamp');
  const nonce = headerOf(request, 'wechatpay-nonce');
  const signature = headerOf(request, 'wechatpay-signature');
  const serial = headerOf(request, 'wechatpay-serial');
  const key = certificates.get(serial);
  const message = `${timestamp}\n${nonce}\n${request.body}\n`;
  if (!createVerify('RSA-SHA256').update(message).verify(key, signature, 'base64')) {
    throw new BizError(ErrorCode.ERR_SIGN_INVALID, '微信回调验签不通过');
  }
  // 时间戳也在签名里，所以先验签再比时间：比过的时间一定是微信写的
  const drift = Math.abs(clock.now() - Number(timestamp) * 1000);
  if (!(drift <= NOTIFY_TOLERANCE_MS)) {
    throw new BizError(ErrorCode.ERR_NOTIFY_EXPIRED, `微信回调时间戳超出范围：${timestamp}`);
  }
}

/**
 * 解密并取出支付结果。只能在验签之后调用。
 *
 * @param apiV3Key 商户平台设置的 APIv3 密钥，32 字节
 * @returns 不是支付成功的通知返回 undefined
 */
export function decryptNotice(body: string, apiV3Key: string): PaymentNotice | undefined {
  const { resource } = JSON.parse(body) as { resource: EncryptedResource };
  const data = Buffer.from(resource.ciphertext, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', apiV3Key, resource.nonce);
  decipher.setAuthTag(data.subarray(-GCM_TAG_BYTES));
  decipher.setAAD(Buffer.from(resource.associated_data));
  const plain = decipher.update(data.subarray(0, -GCM_TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  return noticeOf(JSON.parse(plain) as WechatTransaction);
}

/** 微信的交易 → 支付结果；查单接口返回的是同一种结构。 */
export function noticeOf(transaction: Partial<WechatTransaction>): PaymentNotice | undefined {
  const { trade_state, out_trade_no, transaction_id, amount } = transaction;
  if (trade_state !== 'SUCCESS') return undefined;
  if (!out_trade_no || !transaction_id || !amount) {
    throw new BizError(ErrorCode.ERR_CHANNEL_REJECTED, '微信的交易缺少单号或金额');
  }
  return { paymentNo: out_trade_no, transactionId: transaction_id, amount: amount.total };
}

function headerOf(request: NotifyRequest, name: string): string {
  const value = request.headers[name];
  if (!value) throw new BizError(ErrorCode.ERR_SIGN_INVALID, `微信回调缺少请求头：${name}`);
  return value;
}
