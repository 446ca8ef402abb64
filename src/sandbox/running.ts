/** A command that runs, for those who have to wait for its end or bring it about. */
interface Running {
  ended: Promise<unknown>;
  /** Ends all its processes without waiting. */
  killNow(): void;
}

const running = new Set<Running>();
let guarded = false;

/**
 * Remembers a command until it has ended: {@link commandsEnded} waits for it, and when this process exits before (a second Ctrl-C),
 * its processes are killed.
 *
 * @param killNow called in the `exit` event, where nothing can be waited for
 */
export function untilEnded<T>(work: Promise<T>, killNow: () => void): Promise<T> {
  guard();
  const one: Running = { ended: work.catch(() => {}), killNow };
  running.add(one);
  return work.finally(() => running.delete(one));
}

/** Resolves when no command of this process runs any more: whoever cancelled them may then go. */
export async function commandsEnded(): Promise<void> {
  while (running.size > 0) await Promise.all([...running].map((one) => one.ended));
}

function guard(): void {
  if (guarded) return;
  guarded = true;
  process.once('exit', () => {
    for (const { killNow } of running) killNow();
  });
}
