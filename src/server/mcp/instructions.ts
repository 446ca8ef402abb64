/** What a client tells its model about this server: when to call what. Short, as it stands in every conversation. */
export const INSTRUCTIONS = [
  '羲和：这个项目的中文说法、规矩和路径。用户用中文说业务时，先查再动手：',
  '- zh_core_query：动手前先问它，一句话说明要做什么。给出中文词对应的代码符号、流程模板、警示。流程模板命中就照做，一步不少；带 must 的警示必须遵守；candidate 的术语先在代码里确认。',
  '- lookup_file：不知道改哪个文件时，用中文意思找，比全文搜索准。',
  '- load_context：第一次看这个项目，或要规划改造时，先看骨架。',
  '- expand_path：看一个目录有什么，或一个文件的用途、符号、谁引用它。',
  '- lookup_knowledge：查错误码、第三方接口、约定的原文；查不到就说没有，不要编。',
  '每条都有来源（source）、版本（version）、可信度（confidence）；data_version 不变，同样的问题就不用再问。',
].join('\n');
