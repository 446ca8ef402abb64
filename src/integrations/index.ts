/** The public face of the integrations room: the systems around Xihe, as plain modules without LangChain. */
export * from './alerts/index.js';
export * from './dolphin/index.js';
