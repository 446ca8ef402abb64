import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Embedder } from '../../src/embed/index.js';

/** What a request carried. */
export interface Asked {
  authorization: string | undefined;
  body: { model: string; input: string[]; input_type?: string; dimensions?: number; encoding_format?: string };
}

/** Takes over a request; returns false to let the model answer. */
export type Fault = (asked: Asked, response: ServerResponse, count: number) => boolean | Promise<boolean>;

export interface EmbeddingServer {
  baseUrl: string;
  requests: Asked[];
  /** Requests whose connection the client broke off. */
  aborted: number;
  fault: Fault | undefined;
  /** How vectors are written. */
  style: { base64?: boolean; shuffle?: boolean; noIndex?: boolean; scale?: number };
  close(): Promise<void>;
}

/** A server that speaks `/v1/embeddings` like OpenAI's, with a real model behind it. */
export async function startEmbeddingServer(model: Embedder): Promise<EmbeddingServer> {
  const server = createServer((request, response) => {
    answer(state, model, request, response).catch(() => response.destroy());
  });
  const state: EmbeddingServer = {
    baseUrl: '',
    requests: [],
    aborted: 0,
    fault: undefined,
    style: {},
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return state;
}

async function answer(state: EmbeddingServer, model: Embedder, request: IncomingMessage, response: ServerResponse) {
  response.on('close', () => {
    if (!response.writableEnded) state.aborted++;
  });
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += part;
  const asked: Asked = { authorization: request.headers.authorization, body: JSON.parse(text) };
  state.requests.push(asked);
  if (await state.fault?.(asked, response, state.requests.length)) return;
  if (request.method !== 'POST' || request.url !== '/v1/embeddings') {
    send(response, 404, { error: { message: `no such address: ${request.url}` } });
    return;
  }
  const kind = asked.body.input_type === 'passage' ? 'passage' : 'query';
  const vectors = await model.embed(asked.body.input, { kind });
  const { base64, shuffle, noIndex, scale = 1 } = state.style;
  const data = vectors.map((v, index) => {
    const scaled = v.map((x) => x * scale);
    return {
      object: 'embedding',
      ...(noIndex ? {} : { index }),
      embedding: base64 ? Buffer.from(scaled.buffer).toString('base64') : [...scaled],
    };
  });
  if (shuffle) data.reverse();
  send(response, 200, { object: 'list', data, model: asked.body.model, usage: { prompt_tokens: 1, total_tokens: 1 } });
}

export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): true {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
  return true;
}
