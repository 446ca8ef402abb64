/** What the words of a trace are called on screen. */
export const PHASE: Record<string, string> = {
  plan: '计划',
  execute: '执行',
  postcheck: '后检',
  answer: '回答',
  brief: '预案',
};
export const TYPE: Record<string, string> = { term: '术语', knowledge: '知识', playbook: '流程模板', warning: '警示' };
export const FORM: Record<string, string> = {
  path: '路径',
  skeleton: '骨架',
  summary: '摘要',
  expand: '展开',
  read: '读',
};
