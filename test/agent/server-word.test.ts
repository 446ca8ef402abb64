import { describe, expect, it } from 'vitest';
import { asServed, serverWord } from '../../src/agent/server-word.js';
import { requestSchema } from '../../src/agent/state.js';
import { stateOf } from './support.js';

const user = (identity: string) => ({ langgraph_auth_user: { identity, roles: ['root'], permissions: ['root'] } });

describe("a server's word about a request", () => {
  it('is one set of roles for everybody, and no name that nobody has checked', () => {
    const { caller } = serverWord({});
    expect(caller(undefined)).toEqual({ name: 'server', roles: ['reader', 'developer'] });
    expect(caller(user('admin'))).toEqual({ name: 'server', roles: ['reader', 'developer'] });
    expect(serverWord({ XIHE_ROLES: 'reader' }).caller(user('admin')).roles).toEqual(['reader']);
  });

  it('is the authenticated user with the roles that the server gives him, where it authenticates', () => {
    const { caller } = serverWord({ XIHE_AUTH: '1', XIHE_ROLES: 'reader; lilei = reader, ops; guest=' });
    expect(caller(user('lilei'))).toEqual({ name: 'lilei', roles: ['reader', 'ops'] });
    expect(caller(user('guest'))).toEqual({ name: 'guest', roles: [] });
    expect(caller(user('hanmei'))).toEqual({ name: 'hanmei', roles: ['reader'] });
    expect(caller({})).toEqual({ name: 'server', roles: ['reader'] });
  });

  it('says what can not be meant', () => {
    expect(() => serverWord({ XIHE_AUTO_APPROVE: 'high' })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
    expect(() => serverWord({ XIHE_ROLES: 'lilei=ops' })).toThrow(/XIHE_AUTH/);
  });

  it('takes of what a client wants waved through no more than the server allows, and of its roles nothing', () => {
    const request = (autoApprove: 'none' | 'low' | 'medium') =>
      requestSchema.parse({ text: '改', caller: { name: 'root', roles: ['ops'] }, options: { autoApprove } });
    const served = (asked: 'none' | 'low' | 'medium', own?: string) =>
      asServed(
        stateOf('改', 'edit', { request: request(asked) }),
        serverWord(own ? { XIHE_AUTO_APPROVE: own } : {}),
        undefined,
      ).request;
    expect(served('medium')).toMatchObject({ options: { autoApprove: 'none' }, caller: { name: 'server' } });
    expect(served('medium')?.caller?.roles).toEqual(['reader', 'developer']);
    expect(served('medium', 'low')?.options.autoApprove).toBe('low');
    expect(served('medium', 'medium')?.options.autoApprove).toBe('medium');
    expect(served('none', 'medium')?.options.autoApprove).toBe('none');
  });
});
