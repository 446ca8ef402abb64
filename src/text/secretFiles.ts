/** The last part of a path, whichever separator it has. */
const nameOf = (path: string) => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);

/** Files that are a private key or a key store as a whole: the names that ssh-keygen(1), openssl(1) and Java's keytool give them. */
const KEY_FILE = /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$|\.(p12|pfx|jks|keystore|ppk)$/i;
/** Endings that hold a private key as often as a public certificate: the content decides. */
const MAY_BE_KEY = /\.(pem|key|der|p8)$/i;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** Files of names and secret values: dotenv, package registries, netrc(5), pgpass, htpasswd, cloud credentials. */
const VALUE_FILE =
  /^\.env(\..+)?$|\.env$|^\.(envrc|npmrc|yarnrc|pypirc|netrc|pgpass|htpasswd|git-credentials)$|^_netrc$|^credentials$|^(secrets?|credentials?|service-?account[\w-]*)\.(ya?ml|json|toml|ini|properties)$/i;
/** Xihe's own settings: they may hold keys of models. */
const OWN_SETTINGS = /(^|[\\/])\.xihe[\\/]config\.ya?ml$/i;
/** Templates are there to be read. */
const TEMPLATE = /[.-](example|sample|template|dist|defaults?)$/i;
/** Settings that only tests use, and that they can't do without. */
const TEST_SETTINGS = /^\.env\.test$/i;

/** Whether a file is one of names and secret values, of which only the names are shown. By its name alone. */
export function holdsSecretValues(path: string): boolean {
  const name = nameOf(path);
  return OWN_SETTINGS.test(path) || (VALUE_FILE.test(name) && !TEMPLATE.test(name));
}

/** Whether a name is that of a private key or key store. */
export function isKeyFileName(path: string): boolean {
  return KEY_FILE.test(nameOf(path));
}

/** Whether a text holds a private key in PEM form. */
export function holdsPrivateKey(text: string): boolean {
  return PRIVATE_KEY.test(text);
}

/**
 * Whether a file is a private key or key store: by its name, and by its content where the ending is also one of public
 * certificates.
 *
 * @param text gives the content, as far as it is wanted; called only where the name does not decide
 */
export function isPrivateKeyFile(path: string, text: () => string): boolean {
  return isKeyFileName(path) || (MAY_BE_KEY.test(nameOf(path)) && holdsPrivateKey(text()));
}

/**
 * Whether commands that a model chooses must not see a file: all of the above but for what tests need.
 *
 * @param text see {@link isPrivateKeyFile}
 */
export function isHiddenFromCommands(path: string, text: () => string): boolean {
  return (holdsSecretValues(path) && !TEST_SETTINGS.test(nameOf(path))) || isPrivateKeyFile(path, text);
}
