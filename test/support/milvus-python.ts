import { pythonWith } from './python.js';

/**
 * The Python that can run milvus-lite; the first call on a machine installs about 500 MB.
 *
 * @returns undefined, after one line on stderr, where PyPI can't be reached
 * @throws when it can't be made for another reason, and always where `CI` is set
 */
export function milvusPython(): Promise<string | undefined> {
  return pythonWith('milvus-lite==3.2.2', 'pymilvus==3.0.2', 'jieba==0.42.1');
}
