import type { Reranker } from '../knowledge/index.js';
import type { VectorSettings } from './store.js';
import type { SymbolIndex } from './types.js';

export interface ZhCoreOptions {
  /** The folder that holds the general `knowledge/` and `playbooks/`; default: what ships in the package. */
  generalDir?: string;
  /** The project's `.xihe/`; it need not exist. */
  projectDir?: string;
  /** Confirms terms: where their symbols stand in the repository. */
  symbolCheck?: SymbolIndex;
  /** Where indexes are kept between processes (the project's state folder); without it each process makes its own. */
  cacheDir?: string;
  /** Who makes vectors and where they lie; without it words decide alone. A core with it is to be closed. */
  vectors?: VectorSettings;
  /** Puts the best passages in a better order; not used unless given. */
  rerank?: Reranker;
  /** The clock, for what is due or over; default: the machine's. */
  now?: () => Date;
}
