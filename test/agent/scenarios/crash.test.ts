import { crashCases, NODES } from './crash-cases.js';

crashCases(NODES);
