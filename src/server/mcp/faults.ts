import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';

/** Resource not found, as the specification has it («Resources», «Error Handling»). */
const RESOURCE_NOT_FOUND = -32_002;

/** A fault of the protocol, with its code in JSON-RPC; the SDK's own class puts its code before each message. */
export class ProtocolFault extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/** The parameters of a request are not what the method takes. */
export function invalidParams(message: string): ProtocolFault {
  return new ProtocolFault(ErrorCode.InvalidParams, message);
}

/** There is no such resource. */
export function noResource(uri: string, hint: string): ProtocolFault {
  return new ProtocolFault(RESOURCE_NOT_FOUND, `没有这个资源：${uri.slice(0, 200)}。${hint}`, { uri });
}
