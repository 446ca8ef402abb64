import { execFile } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

/** Named pipes for a command's stdout and stderr. */
export interface OutputPipes {
  /** What the child gets as descriptors 1 and 2. */
  childFds: [number, number];
  /** What we read from, in the same order. */
  readers: [Readable, Readable];
  /** Closes our copies of the child's ends; to be called once the child has them (or never came to be). */
  releaseChildEnds(): void;
}

/**
 * Makes real pipes.
 *
 * Node's own `stdio: 'pipe'` is a socket, and `echo x > /dev/stderr` or `tee /dev/stdout`, common in scripts and
 * Makefiles, fail on a socket with "No such device or address". So we let mkfifo make pipes where it exists.
 *
 * @returns null where there is no mkfifo (Windows, very small containers) or nowhere to make a pipe: then Node's sockets must do
 */
export async function openOutputPipes(): Promise<OutputPipes | null> {
  if (process.platform === 'win32') return null;
  let dir: string;
  try {
    dir = mkdtempSync(join(tmpdir(), 'xihe-pipe-'));
  } catch {
    return null; // no temporary folder, or a full one
  }
  const fds: number[] = [];
  try {
    const paths = [join(dir, 'out'), join(dir, 'err')];
    await promisify(execFile)('mkfifo', ['-m', '600', ...paths]);
    const ends = paths.map((path) => {
      // The reading end first and without blocking: opening a pipe for writing waits for a reader.
      const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      fds.push(read);
      const write = openSync(path, constants.O_WRONLY);
      fds.push(write);
      return { read, write };
    });
    const [out, err] = ends as [{ read: number; write: number }, { read: number; write: number }];
    return {
      childFds: [out.write, err.write],
      readers: [reader(out.read), reader(err.read)],
      releaseChildEnds: () => {
        closeSync(out.write);
        closeSync(err.write);
      },
    };
  } catch {
    for (const fd of fds) closeSync(fd);
    return null;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function reader(fd: number): Readable {
  return new Socket({ fd, readable: true, writable: false });
}
