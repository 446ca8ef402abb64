import type { CodeSymbol, Language } from '../../code/index.js';

/**
 * What drives a page or a program and names nothing of the business: forms, paging, routes, lists, loading, dialogs, handlers, request
 * wrappers, getters and setters. Own knowledge of what such code is commented with, as in vocabulary.ts.
 */

/** Pieces of talk about pages and plumbing; a word that is made of nothing else names no thing. */
const PIECES =
  '重置 表单 提交 分页器? 页码 页数 页面 总数 总条数 总记录数 条数 列表 数据 获取 取得 得到 读取 路由器? 路由跳转 当前 变化 变更 改变 变动 切换 加载 状态 搜索 查询 查找 检索 参数 条件 弹窗 弹框 弹出 弹层 对话框 抽屉 模态框 遮罩层? 显示 展示 隐藏 打开 开启 关闭 取消 操作 确定 确认 选择器? 选中 多选 单选 全选 勾选 选项 过滤器? 筛选器? 方法 函数 定义 属性 默认 对象 格式化 格式 处理器? 事件 回调 监听器? 初始化? 初始值 每页 大小 按钮 点击 双击 单击 表格 表头 表列 列 行 字段 宽度 高度 样式 颜色 主题 布局 提示 信息 内容 消息 组件 控件 实例 引用 规则 校验器? 验证器? 上传 下载 文件 图片 预览 删除 移除 新增 添加 增加 创建 新建 修改 编辑 更新 保存 设置 配置 请求 响应 拦截器? 地址 路径 缓存 存储 侧边栏 导航栏? 面包屑 标签页 页签 标签栏 菜单栏 工具栏 启用 禁用 日期 时间 类型 级别 测试 是否 返回 结果 集合 数组 下拉框? 下拉 树形 树 节点 层级 父级 子级 工具类? 工具 公共 通用 全局 自定义 基础 变量 常量 接口 展开 折叠 收起 滚动条? 滚动 拖拽 拖动 排序 渲染 挂载 卸载 销毁 刷新 清空 清除 跳转 返回值 输入框? 输入 输出 复制 粘贴 占位符? 占位 绑定 注册 暴露 传入 传递 接收 触发器? 触发 执行 调用 使用 引入 导入 导出 计算 判断 检查 检测 转换 转化 解析 构建 构造 生成 拼接 合并 截取 遍历 字符串 数字 数值 布尔 标题 文本 文字 文案 图标 位置 索引 下标 标识 标记 标志 开关 模式 模板 类名 动画 过渡 效果 窗口 屏幕 容器尺寸 尺寸 键盘 鼠标 触摸 光标 焦点 元素 页脚 页头 头部 底部 顶部 左侧 右侧 左边 右边 居中 原图 剪裁 裁剪 旋转 缩放 放大 缩小 蒙版 波纹 进度条 进度 步骤条 水印 全屏 折线图 柱状图 饼图 图表 配置项 选项卡 卡片 面板 插槽 指令 钩子 状态管理 仓库 本地 会话 用户输入 错误 成功 失败 异常 超时 重试 防抖 节流 工作 准备 按下 松开 开始 结束 停止 前 后 中 的 是 为 和 与 或 及 名 值 项 组 张 个 条 类 器 新 旧 上 下 左 右 第一 张 图 加 按 时 从 到 在 并 里 内 外 所有 全部 已 未 可 不 需要 仅限 动态 静态 异步 同步 批量 单个 多个 前端 后端 首次 再次 手动 自动 相关 附加 额外 扩展 详情 明细 说明 描述 备注 名称 名字 编号 序号 数量 个数 长度 最大 最小 上级 下级 父 子 首页 页 背景 高级 分步 拷贝 方案 报错 标准 主题色 欢迎 更换 工作台';

/** A word of nothing but such pieces, Latin between them too. */
const PLUMBING_WORD = new RegExp(`^(?:${PIECES.trim().split(/\s+/).join('|')}|[A-Za-z]+)+$`);

/** What functions of pages begin with that only drive the page. */
const UI_VERB =
  /^(?:重置|提交|打开|关闭|切换|格式化|初始化|加载|获取|过滤|渲染|监听|跳转|点击|选择|显示|隐藏|展开|收起|折叠|处理|选中|输入|拖拽|滚动|刷新|清空|回到|定义|使用|引入|挂载|触发|绑定|判断|转换|默认|当前|更新|修改|编辑|设置|添加|新增|删除|移除|查询|搜索|返回|自定义|是否|全选|上传|下载|预览)/;
/** What their names and the names of a page's state end with. */
const UI_END =
  /(?:弹窗|弹框|对话框|抽屉|表单|页面|列表|表格|事件|回调|变化|改变|变更|切换|样式|按钮|选项|参数|状态|数据|方法|函数|处理|组件|图标|条件|过滤器|格式化|对象|集合|数组|引用|实例|规则|验证|校验|配置|加载|显示|隐藏|路径|地址|器)$/;

/** Tells whether a word is about forms, paging, lists and the like only. */
export function isPlumbingWord(word: string): boolean {
  return PLUMBING_WORD.test(word);
}

/** Tells whether a phrase of a page's function or state says what the page does, not what people do with it. */
export function isPageTalk(word: string): boolean {
  return isPlumbingWord(word) || UI_VERB.test(word) || UI_END.test(word);
}

const FRONT: ReadonlySet<Language> = new Set(['vue', 'tsx', 'javascript', 'typescript']);
/** Folders whose scripts are there for pages in general. */
const TOOL_FOLDER =
  /(?:^|\/)(?:utils?|hooks?|composables|directives?|plugins?|layouts?|mixins?|filters?|helpers?|styles?|icons?|locales?|theme|themes|setups?|core|scripts?|build|tools?|bin|config)\//i;
const PAGE_FOLDER = /(?:^|\/)(?:views?|pages?|components?|widgets?|screens?|containers?|routers?|routes?|stores?)\//i;
/** Types of a page's own state. */
const STATE_TYPE =
  /(?:Props|Emits|State|Options?|Params?|Form|Query|Columns?|Config|Settings?|Context|Ref|Slots?|Instance|Type|Schema)$/;

/** Tells whether a symbol of a script is there for the page alone: what stands beside it teaches, and proposes nothing. */
export function drivesPage({ kind, name, container, exported }: CodeSymbol, language: Language, path: string): boolean {
  if (!FRONT.has(language)) return false;
  if (TOOL_FOLDER.test(path))
    return (
      /^(?:constant|function|method|field)$/.test(kind) || (/^(?:interface|type)$/.test(kind) && STATE_TYPE.test(name))
    );
  const onPage = language === 'vue' || language === 'tsx' || PAGE_FOLDER.test(path);
  if (kind === 'constant') return onPage || !exported;
  if (kind === 'field')
    return container === undefined || (onPage && (language === 'vue' || STATE_TYPE.test(container)));
  if (kind === 'interface' || kind === 'type') return onPage && STATE_TYPE.test(name);
  return false;
}

/** Tells whether a script lies where pages do: its functions react to what people click. */
export function isOnPage(language: Language, path: string): boolean {
  return FRONT.has(language) && (language === 'vue' || language === 'tsx' || PAGE_FOLDER.test(path));
}
