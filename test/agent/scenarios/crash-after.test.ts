import { crashCases, NODES } from './crash-cases.js';

crashCases(NODES.map((node) => `${node}:after`));
