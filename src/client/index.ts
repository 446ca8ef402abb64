import type {
  EntryAnswer,
  ExpandAnswer,
  ExpandBody,
  FeedbackAnswer,
  FeedbackBody,
  FindAnswer,
  FindBody,
  KnowledgeAnswer,
  LookupAnswer,
  LookupBody,
  PlaybooksAnswer,
  QueryAnswer,
  QueryBody,
  TermsAnswer,
} from '../server/schemas.js';
import { type Answered, type AskOptions, Transport, type TransportOptions } from './transport.js';

export { type ClientErrorCode, XiheHttpError, type XiheHttpErrorFacts } from './errors.js';
export type { Answered, AskOptions, TransportOptions as XiheClientOptions } from './transport.js';

/**
 * A client of `xihe serve`, for Node 20 and browsers.
 *
 * Every method resolves to the server's document and throws {@link XiheHttpError}.
 *
 * @example const xihe = new XiheClient({ baseUrl: 'http://127.0.0.1:7700', project: 'mall' });
 *   const { terms } = await xihe.query({ user_intent: '超时关单加重试' });
 */
export class XiheClient {
  readonly #transport: Transport;

  constructor(options: TransportOptions) {
    this.#transport = new Transport(options);
  }

  /** The four lists of the core. */
  query(body: QueryBody, options?: AskOptions): Promise<Answered<QueryAnswer>> {
    return this.#transport.ask('/query', body, options);
  }

  /** Terms alone. */
  queryTerms(body: QueryBody, options?: AskOptions): Promise<Answered<TermsAnswer>> {
    return this.#transport.ask('/query/term', body, options);
  }

  /** Passages alone. */
  queryKnowledge(body: QueryBody, options?: AskOptions): Promise<Answered<KnowledgeAnswer>> {
    return this.#transport.ask('/query/knowledge', body, options);
  }

  /** Playbooks alone. */
  queryPlaybooks(body: QueryBody, options?: AskOptions): Promise<Answered<PlaybooksAnswer>> {
    return this.#transport.ask('/query/playbook', body, options);
  }

  /** The document that a query names, and the passage that comes nearest in meaning. */
  lookup(body: LookupBody, options?: AskOptions): Promise<Answered<LookupAnswer>> {
    return this.#transport.ask('/lookup', body, options);
  }

  /** Files for a request, each with why. */
  find(body: FindBody, options?: AskOptions): Promise<Answered<FindAnswer>> {
    return this.#transport.ask('/find', body, options);
  }

  /** A folder's children, or a file's purpose, symbols and neighbours. */
  expand(body: ExpandBody, options?: AskOptions): Promise<Answered<ExpandAnswer>> {
    return this.#transport.ask('/expand', body, options);
  }

  /** A whole entry by its id. */
  entry(id: string, options?: AskOptions): Promise<Answered<EntryAnswer>> {
    return this.#transport.ask(`/entries/${encodeURIComponent(id)}`, undefined, options);
  }

  /** Says whether an answer was good: `request_id` is that of the answer. Saying it twice counts once. */
  feedback(body: FeedbackBody, options?: AskOptions): Promise<Answered<FeedbackAnswer>> {
    return this.#transport.ask('/feedback', body, options);
  }
}
