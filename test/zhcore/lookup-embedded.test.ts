import { describe } from 'vitest';
import { acceptance, defaults } from './acceptance.js';

describe('the look-up on the embedded index', () => acceptance(defaults));
