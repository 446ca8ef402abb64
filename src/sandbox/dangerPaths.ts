import { holdsSecretValues, isKeyFileName } from '../text/index.js';

/** The user's home folder as a shell line names it. */
const HOME = /^(~|\$\{?HOME\b|%USERPROFILE%|\$env:USERPROFILE)/i;
/** Folders that are there to be written by anyone, and devices that hold nothing. */
const SHARED_TEMP = /^(\/tmp|\/var\/tmp|\/private\/tmp|\$\{?TMPDIR\}?)(\/|$)/;
const HARMLESS_DEVICE = /^\/dev\/(null|stdout|stderr|stdin|tty|zero|u?random|fd\/.*)$/;
/** Folders of keys and logins in a home folder. */
const LOGINS = /(^|[\\/])\.(ssh|gnupg|aws|azure|kube|docker|password-store)([\\/]|$)/;

/** Whether a word names a place outside the current folder: absolute, in the home folder, or above. */
export function isOutside(word: string): boolean {
  if (HARMLESS_DEVICE.test(word)) return false;
  return isAbsolute(word) || climbs(word);
}

/** Whether a word names something of the user's or the system's: the home folder, or an absolute path that is not temporary. */
export function isPrecious(word: string): boolean {
  return isAbsolute(word) && !HARMLESS_DEVICE.test(word) && !SHARED_TEMP.test(word);
}

/** Whether a word names a file of secrets or a folder of keys. */
export function isSecretPlace(word: string): boolean {
  return LOGINS.test(word) || holdsSecretValues(word) || isKeyFileName(word);
}

function isAbsolute(word: string): boolean {
  return HOME.test(word) || /^([A-Za-z]:)?[\\/]/.test(word) || SHARED_TEMP.test(word);
}

/** `../a` and `a/../../b`; `a/../b` stays inside. */
function climbs(word: string): boolean {
  let depth = 0;
  for (const part of word.split(/[\\/]/)) {
    if (part === '..') depth--;
    else if (part !== '' && part !== '.') depth++;
    if (depth < 0) return true;
  }
  return false;
}

/** The words of options too: `--root=/x`, `-o/x`, `of=/x`. */
export function placesOf(args: readonly string[]): string[] {
  return args.flatMap((a) => {
    const value = /^[-\w]+=(.+)$/.exec(a)?.[1] ?? /^-[A-Za-z]([/~].*)$/.exec(a)?.[1];
    return value === undefined ? [a] : [a, value];
  });
}
