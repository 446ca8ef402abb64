import type { Embedder, EmbedderPlaces, EmbeddingConfig } from '../embed/index.js';
import type { OpenRemote } from './remoteVectors.js';

export interface VectorArmOptions {
  embedding: EmbeddingConfig;
  /** Folder for vectors, absolute (the project's state); without it they live as long as the process. */
  dir?: string | undefined;
  /** Where packages of the project and what is known of a service lie. */
  places?: EmbedderPlaces | undefined;
  /** Vectors that ship, see `readyVectorsFile`. */
  readyFile?: string | undefined;
  /** An index on a server that answers instead of the one in memory. */
  remote?: OpenRemote | undefined;
  /** Opens the embedder; default: what the settings say. */
  open?: (signal?: AbortSignal) => Promise<Embedder | undefined>;
}

export interface AskOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds for the vectors to answer; then the words answer alone. Loading goes on for the next question. */
  budgetMs?: number | undefined;
  /** Passages that were cut for the index of words, of how many: only where thousands are new. */
  onProgress?: (done: number, total: number) => void;
}

export interface BuildOptions {
  signal?: AbortSignal | undefined;
  /** Texts that have their vectors, of how many; a chunk has two or more. */
  onProgress?: (done: number, total: number) => void;
  /** Makes a server's index anew beside the old one; nothing else needs it. */
  rebuild?: boolean | undefined;
}
