/**
 * 启动入口
 *
 * 环境变量：PORT（默认 8080）；MALL_DEMO=1 载入演示数据。
 * 支付渠道按环境变量登记，没配的渠道不登记：
 * 微信 MALL_WECHAT_CONFIG、支付宝 MALL_ALIPAY_CONFIG，值是配置文件（JSON）的路径。密钥只放在配置文件里，不进仓库。
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import { buildApp } from './app.js';
import type { AlipayConfig } from './payment/alipay/channel.js';
import { AlipayChannel } from './payment/alipay/channel.js';
import { ChannelRegistry } from './payment/channel-registry.js';
import { HttpTransport } from './payment/gateway-transport.js';
import type { WechatConfig } from './payment/wechat/channel.js';
import { WechatChannel } from './payment/wechat/channel.js';
import { CertificateStore } from './payment/wechat/notify.js';
import { systemClock } from './shared/clock.js';
import { Logger } from './shared/logger.js';
import type { HttpRequest, Router } from './web/router.js';

/** 请求体上限，字节。接口里最大的是支付回调，不到 10 KB。 */
const MAX_BODY_BYTES = 256 * 1024;
const DEFAULT_PORT = 8080;

type WechatFile = WechatConfig & { certificates: Record<string, string> };

function registerChannels(env: NodeJS.ProcessEnv): ChannelRegistry {
  const registry = new ChannelRegistry();
  const transport = new HttpTransport();
  if (env.MALL_WECHAT_CONFIG) {
    const { certificates, ...config } = readConfig<WechatFile>(env.MALL_WECHAT_CONFIG);
    const store = new CertificateStore();
    for (const [serial, pem] of Object.entries(certificates)) store.add(serial, pem);
    registry.register(new WechatChannel(config, transport, store, systemClock));
  }
  if (env.MALL_ALIPAY_CONFIG) {
    registry.register(new AlipayChannel(readConfig<AlipayConfig>(env.MALL_ALIPAY_CONFIG), transport, systemClock));
  }
  return registry;
}

function readConfig<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}

async function readBody(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  // 收齐再解码：一个汉字可能正好被切在两块之间
  return Buffer.concat(chunks).toString('utf8');
}

function toRequest(incoming: IncomingMessage, body: string): HttpRequest {
  const url = new URL(incoming.url ?? '/', 'http://localhost');
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: incoming.method ?? 'GET',
    path: decodeURIComponent(url.pathname),
    query: url.searchParams,
    headers: Object.fromEntries(headers),
    body,
  };
}

function serve(router: Router, port: number, logger: Logger): void {
  const server = createServer(async (incoming, outgoing) => {
    try {
      const body = await readBody(incoming);
      if (body === undefined) {
        outgoing.writeHead(413).end();
        return;
      }
      const response = await router.dispatch(toRequest(incoming, body));
      outgoing.writeHead(response.status, { 'content-type': response.contentType }).end(response.body);
    } catch (error) {
      logger.error('请求无法处理', error);
      outgoing.writeHead(400).end();
    }
  });
  server.listen(port, () => logger.info('商城已启动', { port }));
}

const logger = new Logger(systemClock);
const app = buildApp({ clock: systemClock, logger, registry: registerChannels(process.env) });
if (process.env.MALL_DEMO === '1') {
  const { loadDemoData } = await import('../scripts/demo-data.js');
  await loadDemoData(app);
}
app.scheduler.start();
serve(app.router, Number(process.env.PORT ?? DEFAULT_PORT), logger);
