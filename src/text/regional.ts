/**
 * Taiwan and Hong Kong developer words → mainland words.
 *
 * Source: common usage in Taiwan's and Hong Kong's developer documentation. OpenCC's own phrase table (TWPhrasesRev) covers
 * general vocabulary and would also change words that mainland requirements use in another sense (批次, 行程, 交易), so
 * we keep our own table, short and about software. Words that differ in characters only (訂單, 庫存) need no line here: the
 * character conversion does them.
 */
type WordPair = readonly [regional: string, mainland: string];

/** Reads `regional=mainland` pairs set apart by white space. */
function pairs(table: string): WordPair[] {
  return table
    .trim()
    .split(/\s+/)
    .map((cell) => {
      const [regional = '', mainland = ''] = cell.split('=');
      return [regional, mainland] as const;
    });
}

/**
 * Words that count in traditional script only: in simplified characters the same word means something else on the
 * mainland (选单 is picking an order, 外挂 a cheat, 签章 a company seal) or is ordinary there (设定, 信息).
 */
export const REGIONAL_TRADITIONAL: readonly WordPair[] = pairs(`
  預設=默认 預設值=默认值 資料=数据 資料夾=文件夹 資料表=数据表 資料列=数据行 資料行=数据列 資料流=数据流
  資訊=信息 訊息=消息 簡訊=短信 訊息佇列=消息队列 專案=项目 執行個體=实例 協定=协议 通訊協定=通信协议
  連線=连接 連線池=连接池 連結=链接 超連結=超链接 鏈結串列=链表 網路=网络 網域=域名 視窗=窗口 檢視=查看 檢視表=视图
  儲存=保存 儲存庫=仓库 儲存體=存储 儲存空間=存储空间 存取權杖=访问令牌 存取權限=访问权限 列舉=枚举
  用戶端=客户端 帳號=账号 帳戶=账户 帳單=账单 對帳=对账 匯入=导入 匯出=导出 載入=加载 重新載入=重新加载 搜尋=搜索
  批次處理=批处理 堆疊=栈 常數=常量 引數=参数 回傳=返回 回傳值=返回值 傳回=返回 傳回值=返回值
  解構子=析构函数 建構函式=构造函数 佈署=部署 欄位=字段 外部索引鍵=外键 資料繫結=数据绑定
  除錯=调试 例外狀況=异常情况 例外處理=异常处理 擲回=抛出 平行處理=并行处理 死結=死锁 記錄檔=日志文件
  儲存格=单元格 語音訊息=语音消息 資源回收桶=回收站 網域帳號=域账号 堆疊圖=堆积图 設定=设置 設定檔=配置文件 範本=模板 樣板=模板 範例=示例 品質=质量
  核取方塊=复选框 下拉式選單=下拉菜单 選單=菜单 對話方塊=对话框 變數=变量 陣列=数组 文字方塊=文本框 剪貼簿=剪贴板
  游標=光标 點選=点击 視訊=视频 音訊=音频 圖示=图标 雜湊=哈希 雜湊表=哈希表 簽章=签名 數位簽章=数字签名 數位憑證=数字证书
  許可權=权限 型別=类型 型態=类型 覆寫=重写 多載=重载 回撥=回调 多執行緒=多线程 執行檔=可执行文件 遞迴=递归
  運算子=运算符 運算式=表达式 運算元=操作数 正規表示式=正则表达式 正規運算式=正则表达式
  原始檔=源文件 註解=注释 標頭=头 外掛=插件 擴充功能=扩展 可擴充性=可扩展性 直譯器=解释器 虛擬機器=虚拟机 映像檔=镜像
  雲端運算=云计算 負載平衡=负载均衡 頻寬=带宽 連接埠=端口 通訊埠=端口 行動裝置=移动设备 行動支付=移动支付 裝置=设备
  折價券=优惠券 出貨=发货 全域變數=全局变量 區域變數=局部变量 預先定義=预定义 工作階段=会话
  識別碼=标识符 識別子=标识符 回應=响应 回應時間=响应时间 終端機=终端 指令碼=脚本 時間戳記=时间戳 語系=语言 印表機=打印机
  感測器=传感器 硬體=硬件 軟體=软件 檔案=文件 檔名=文件名 副檔名=扩展名 壓縮檔=压缩包 即時=实时 駭客=黑客 電子郵件=邮件
  圖形介面=图形界面 控制項=控件 資源回收=垃圾回收
`);

/**
 * Words that mainland developers hardly use: they count in both scripts (软体, 伺服器, 记忆体), since many people in Taiwan's
 * and Hong Kong's offices type simplified characters with their own words.
 */
export const REGIONAL_ANY_SCRIPT: readonly WordPair[] = pairs(`
  組態=配置 伺服器=服务器 資料庫=数据库 記憶體=内存 程式=程序 程式設計=程序设计 程式碼=代码 程式庫=库 公用程式=实用程序
  應用程式=应用程序 應用程式介面=应用程序接口 物件=对象 物件導向=面向对象 軟體工程=软件工程 軟體開發=软件开发 字元=字符
  字元集=字符集 字串=字符串 位元組=字节 執行緒=线程 迴圈=循环 快取=缓存 佇列=队列 叢集=集群 模組=模块
  演算法=算法 巨集=宏 偵錯=调试 閘道=网关 支付閘道=支付网关 韌體=固件 螢幕=屏幕 滑鼠=鼠标 硬碟=硬盘 磁碟=磁盘
  隨身碟=U盘 函式=函数 函式庫=函数库 原始碼=源代码 命令列=命令行 中介軟體=中间件 網際網路=互联网 部落格=博客 唯讀=只读
  金鑰=密钥 權杖=令牌 建構子=构造函数 逾時=超时 回呼=回调 登入=登录 使用者=用户 支援=支持 列印=打印
  介面=接口 主控台=控制台 在地化=本地化 晶片=芯片 推播=推送 人工智慧=人工智能 全形=全角 半形=半角 元件=组件 排程=调度
  讀寫頭=磁头 擴充套件=扩展包 效能測試=性能测试 效能監控=性能监控 套件管理=包管理 工作排程=任务调度 建置=构建 相依性=依赖
  相依套件=依赖包 相容=兼容 相容性=兼容性 最佳化=优化 解析度=分辨率 非同步=异步 布林=布尔 布林值=布尔值 全域=全局 使用者介面=用户界面
  管理介面=管理界面 垃圾收集=垃圾回收
`);

/** Mainland words that hold one of the words above by chance (购物件数, 网路由): they stay as they are. */
export const REGIONAL_GUARDS: readonly string[] = [
  ...['購物件', '貨物件', '實物件', '禮物件', '衣物件', '寵物件', '食物件', '刊物件'],
  ...['方程式', '過程式', '流程式', '工程式', '遠程式', '全程式', '進程式', '課程式'],
  ...['網路由', '網路徑', '系列印', '序列印', '隊列印', '簡介面', '中介面', '媒介面', '介面板', '單元件', '公元件'],
  ...['字元素', '文字串', '數字串', '漢字串', '登入口'],
];
