import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/**
 * Opens a file of the state for reading, and only a file: a pipe would wait for somebody to write, a device never ends, and the state
 * may lie in a repository that brings such things. Links are followed: what they lead to is looked at, not the link.
 *
 * @param path absolute
 * @returns a file descriptor to be closed, or undefined when there is no regular file there, or it can't be read
 */
export function openStateFile(path: string): number | undefined {
  let fd: number | undefined;
  try {
    // Without O_NONBLOCK opening a pipe would already wait.
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if (fstatSync(fd).isFile()) return fd;
  } catch {
    // Not there, not ours to read, or a socket: all the same as no file.
  }
  if (fd !== undefined) closeSync(fd);
  return undefined;
}

/**
 * All bytes of a file of the state; see {@link openStateFile}.
 *
 * @returns undefined when there is no regular file there, or it can't be read
 */
export function readStateFile(path: string): Buffer | undefined {
  const fd = openStateFile(path);
  if (fd === undefined) return undefined;
  try {
    return readFileSync(fd);
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}
