/** What every tool that only looks has in common. */
export const LOOKS = {
  danger: 'low',
  readOnly: true,
  idempotent: true,
  aclRole: 'reader',
  timeoutMs: 20_000,
  effect: 'none',
} as const;
