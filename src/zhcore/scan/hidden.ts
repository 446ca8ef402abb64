/**
 * Whether what an entry says of code can't be checked now, because something can't be read where its code would be. What can't be read
 * makes no statement: a symbol in a folder without permissions is not gone.
 *
 * @param source of the entry: `repo://src/order/order.ts#L12`, or anything else, which may mean code anywhere
 * @param unreadable folders and files that can't be read, POSIX and relative; `''` is the root
 * @returns the first such place, undefined where there is none
 */
export function hiddenPlace(source: string, unreadable: readonly string[]): string | undefined {
  const path = /^repo:\/\/([^#]*)/.exec(source)?.[1]?.replace(/^\.?\/+|\/+$/g, '');
  if (path === undefined || path === '') return unreadable[0];
  // Its folder is where its code may be by now: files are renamed within a folder, and split.
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  return unreadable.find(
    (place) => isWithin(path, place) || (folder !== '' && isWithin(place, folder)) || place === path,
  );
}

function isWithin(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}
