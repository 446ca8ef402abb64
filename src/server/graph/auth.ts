import { basename } from 'node:path';
import { callersOf, type RunUser } from '../../agent/deploy/index.js';
import { quoted, XiheError } from '../../errors.js';
import { callerBy, mayUse } from '../http/caller.js';
import { KeyRing } from '../http/keys.js';
import type { GraphService } from './context.js';

/** Who may call, as the variables say. */
export interface Authentication {
  authenticate: GraphService['authenticate'];
  /** False: whoever reaches the server is let in, so only this machine may reach it. */
  asksWho: boolean;
}

/** What the tokens of an identity provider must say, and where it publishes its keys. */
interface TokenSettings {
  issuer: string;
  audience: string;
  keysUrl: string;
  rolesClaim: string;
}

/** Three parts of base64url: a token, and never one of our keys. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** How far the clocks of two machines may differ, in seconds. */
const CLOCK_SECONDS = 30;
/** Kinds of signatures with a public key. Not those with a shared secret, and not none at all. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/**
 * How callers are known: by the keys of `xihe keys`, and by tokens (JWT) of an identity provider where `XIHE_OIDC_ISSUER` and
 * `XIHE_OIDC_AUDIENCE` are set. `XIHE_OIDC_ROLES` names the claim that holds the roles (default `roles`), `XIHE_OIDC_JWKS` where the
 * provider's keys are, when not at the address that it announces. A key comes as `x-api-key`, which the SDKs send, or as
 * `Authorization: Bearer`. With neither keys nor an issuer everybody is `local`, with the roles of `XIHE_ROLES`.
 *
 * @param roots folders of the projects: the keys may not lie in one, and a key must open one, by the name of its folder
 * @param onBroken told why the file of the keys could not be read
 * @throws XiheError CONFIG_INVALID
 */
export function authentication(
  env: NodeJS.ProcessEnv,
  roots: readonly string[],
  onBroken: (why: string) => void,
): Authentication {
  const keys = new KeyRing(roots, env, onBroken);
  const settings = tokenSettings(env);
  const local: RunUser = { identity: 'local', roles: callersOf(env).roles };
  let byToken: ((token: string) => Promise<RunUser>) | undefined;
  return {
    asksWho: settings !== undefined || !keys.isEmpty,
    async authenticate(headers) {
      const shown = headers.get('authorization') ?? bearer(headers.get('x-api-key'));
      const [, token] = /^Bearer +(\S+)$/i.exec(shown?.trim() ?? '') ?? [];
      if (settings && token !== undefined && TOKEN.test(token)) {
        byToken ??= await tokenReader(settings);
        return byToken(token);
      }
      if (keys.isEmpty && !settings) return local;
      // With an issuer and no keys nobody is let in without a token.
      if (keys.isEmpty) throw unknown();
      const caller = callerBy(shown, keys);
      if (!roots.some((root) => mayUse(caller, basename(root))))
        throw new XiheError('KEY_FORBIDDEN', '这把密钥不能用这个项目', {
          hint: '让管理员核对 xihe keys add 的 --project。',
        });
      const { name, roles } = caller;
      return { identity: `key:${name}`, roles: [...roles] };
    },
  };
}

function bearer(key: string | null): string | undefined {
  return key === null || key === '' ? undefined : `Bearer ${key}`;
}

function unknown(cause?: unknown): XiheError {
  return new XiheError('KEY_INVALID', '没有带令牌，或令牌不对、过期了', {
    hint: '重新登录取一个；请求头写成 Authorization: Bearer 令牌。',
    cause,
  });
}

function tokenSettings(env: NodeJS.ProcessEnv): TokenSettings | undefined {
  const { XIHE_OIDC_ISSUER: issuer, XIHE_OIDC_AUDIENCE: audience, XIHE_OIDC_JWKS: keysUrl } = env;
  if (!issuer) return undefined;
  if (!audience)
    throw new XiheError('CONFIG_INVALID', '有 XIHE_OIDC_ISSUER，没有 XIHE_OIDC_AUDIENCE', {
      hint: '写上这个服务在身份系统里的名字：没有它，发给别的服务的令牌也能用。',
    });
  const jwks = keysUrl || `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`;
  if (!URL.canParse(jwks))
    throw new XiheError('CONFIG_INVALID', `${quoted(jwks)} 不是地址`, {
      hint: 'XIHE_OIDC_ISSUER 和 XIHE_OIDC_JWKS 要写成 https://…。',
    });
  return { issuer, audience, keysUrl: jwks, rolesClaim: env.XIHE_OIDC_ROLES || 'roles' };
}

async function tokenReader(settings: TokenSettings): Promise<(token: string) => Promise<RunUser>> {
  const { createRemoteJWKSet, jwtVerify } = await import('jose');
  // Fetched on first use, kept, and asked again for a key that is new.
  const keys = createRemoteJWKSet(new URL(settings.keysUrl));
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: settings.issuer,
        audience: settings.audience,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_SECONDS,
        requiredClaims: ['sub', 'exp'],
      });
      const roles = payload[settings.rolesClaim];
      const list = Array.isArray(roles) ? roles : typeof roles === 'string' ? roles.split(/[\s,]+/) : [];
      // Subjects of the provider and names of keys are two lists: nobody becomes the other by his name.
      return {
        identity: `oidc:${payload.sub}`,
        roles: list.filter((role): role is string => typeof role === 'string' && role !== ''),
      };
    } catch (e) {
      throw unknown(e);
    }
  };
}
