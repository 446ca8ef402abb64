/** The chat platforms whose group robots are spoken to. */
export type Platform = 'wecom' | 'dingtalk' | 'feishu';
