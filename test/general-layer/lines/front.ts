import type { WarningLines } from './types.js';

/** Pages, mini programs, messages, formats. */
export const FRONT_LINES: WarningLines = {
  'g-html-injection': {
    path: 'src/views/goods.vue',
    bad: [
      '<div v-html="goods.detail" />',
      '<div dangerouslySetInnerHTML={{ __html: html }} />',
      'box.innerHTML = content;',
      '<p th:utext="${goods.detail}"></p>',
    ],
    good: [
      '<div v-text="goods.detail" />',
      '<div v-html="sanitize(goods.detail)" />',
      "box.innerHTML = '';",
      'box.textContent = content;',
      '<p v-html="$t(\'agree\')"></p>',
    ],
  },
  'g-token-in-web-storage': {
    bad: [
      "localStorage.setItem('token', res.token);",
      'localStorage.setItem(TOKEN_KEY, token);',
      'localStorage.access_token = token;',
      "Cookies.set('password', form.password);",
    ],
    good: [
      "localStorage.setItem('theme', theme);",
      "localStorage.removeItem('token');",
      "sessionStorage.setItem('draft', text);",
      'const token = store.token;',
    ],
  },
  'g-eval': {
    bad: [
      'const data = eval(text);',
      "const fn = new Function('row', code);",
      'setTimeout("refresh()", 1000);',
      'value = eval(expression)',
    ],
    good: [
      'const data = JSON.parse(text);',
      'setTimeout(refresh, 1000);',
      'model.eval()',
      '// eval(text) 不要用',
      'redis.eval(script, 1, key)',
    ],
  },
  'g-post-message-any-origin': {
    bad: [
      "window.parent.postMessage(data, '*');",
      'window.opener.postMessage({ type, value }, "*");',
      "iframe.contentWindow.postMessage(JSON.stringify(data), '*')",
    ],
    good: [
      'window.parent.postMessage(data, location.origin);',
      "window.parent.postMessage(data, 'https://admin.shop.com');",
      'worker.postMessage(data);',
      "window.addEventListener('message', onMessage);",
    ],
  },
  'g-debugger-left': {
    bad: ['    import pdb; pdb.set_trace()', '    breakpoint()', '  debugger;', 'debugger', '  debugger; // 看一下'],
    good: ['// debugger;', "const debuggerUrl = '';", 'debug(message);', "import Debugger from './debugger';"],
    path: 'src/pages/order.ts',
  },
  'g-hardcoded-host': {
    path: 'src/utils/request.ts',
    bad: [
      "const url = 'http://192.168.1.20:8080/api';",
      "baseURL: 'http://localhost:8080',",
      'String api = "http://10.0.3.15:9000/pay";',
    ],
    good: [
      'baseURL: import.meta.env.VITE_API,',
      "const ip = '192.168.1.20';",
      "placeholder: 'http://192.168.1.20:8080'",
      "const api = 'https://api.shop.com';",
      "const url = process.env.API || 'http://10.0.3.15:9000';",
    ],
  },
  'g-secret-in-frontend': {
    path: 'miniprogram/pages/upload/upload.js',
    bad: [
      'VITE_OSS_SECRET=k8s7d6f5g4h3',
      "const accessKeySecret = 'k8s7d6f5g4h3j2k1';",
      "  url: 'https://api.weixin.qq.com/sns/jscode2session',",
      "appSecret: '0123456789abcdef0123456789abcdef',",
    ],
    good: [
      'const { accessKeySecret } = await getStsToken();',
      "  url: '/api/login',",
      "appId: 'wx0123456789abcdef',",
      "secretKey: '',",
    ],
  },
  'g-miniapp-http-request': {
    path: 'miniprogram/pages/order/list.js',
    bad: [
      "wx.connectSocket({ url: 'ws://api.shop.com/chat' })",
      "wx.request({ url: 'http://api.shop.com/order' })",
      "      url: 'http://120.24.10.3:8080/order',",
      "uni.uploadFile({ url: 'http://api.shop.com/upload' });",
    ],
    good: [
      "wx.request({ url: 'https://api.shop.com/order' })",
      '      url: `${base}/order`,',
      "wx.navigateTo({ url: '/pages/order/detail' })",
      "      url: 'http://localhost:3000/order',",
    ],
  },
  'g-miniapp-user-profile': {
    bad: ['wx.getUserProfile({', 'uni.getUserInfo({', '<button open-type="getUserInfo">登录</button>'],
    good: [
      '<button open-type="chooseAvatar" bind:chooseavatar="onAvatar">',
      '<input type="nickname" />',
      'const info = await api.getUserInfo();',
      'wx.login({',
    ],
  },
  'g-session-key-to-client': {
    bad: [
      'res.json({ openid, session_key });',
      'return Result.success(session.getSessionKey());',
      'map.put("session_key", sessionKey);',
      "wx.setStorageSync('session_key', key)",
    ],
    good: [
      'res.json({ token });',
      'redis.set(key, session_key, 7200);',
      'return Result.success(token);',
      'const { openid, session_key } = await code2session(code);',
    ],
  },
  'g-access-token-each-time': {
    bad: [
      "await axios.post('https://open.feishu.cn/open-apis/auth/v3/tenant_access_token/internal', body)",
      'restTemplate.getForObject("https://api.weixin.qq.com/cgi-bin/token?grant_type=client_credential&appid=" + id, Token.class);',
      'const r = await axios.get(`https://qyapi.weixin.qq.com/cgi-bin/gettoken?corpid=${id}`);',
      'resp = requests.get("https://oapi.dingtalk.com/gettoken", params=p)',
    ],
    good: [
      'String token = tokenCache.get(appId);',
      "GET_TOKEN = 'https://oapi.dingtalk.com/gettoken'",
      'const r = await axios.get(`https://api.weixin.qq.com/cgi-bin/user/info?access_token=${token}`);',
      "requests.post('https://api.weixin.qq.com/cgi-bin/stable_token', json=p)",
    ],
  },
  'g-setdata-whole-list': {
    bad: [
      'this.setData({ list: this.data.list.concat(rows) });',
      'that.setData({ orders: [...that.data.orders, ...rows] })',
      'this.setData(this.data)',
    ],
    good: [
      'this.setData({ [`list[${n}]`]: row });',
      'this.setData({ loading: false });',
      'this.setData({ list: rows });',
      'const list = this.data.list.concat(rows);',
    ],
  },
  'g-robot-webhook-in-code': {
    bad: [
      'const hook = "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=00000000-1111-2222-3333-444444444444";',
      'url = "https://oapi.dingtalk.com/robot/send?access_token=0123456789abcdef0123456789abcdef"',
      'https://open.feishu.cn/open-apis/bot/v2/hook/00000000-1111-2222-3333-444444444444',
    ],
    good: [
      'const hook = process.env.WECOM_WEBHOOK;',
      'url = "https://oapi.dingtalk.com/robot/send?access_token=" + token',
      '文档：https://open.feishu.cn/open-apis/bot/v2/hook/xxx',
      'webhook/send?key=${KEY}',
    ],
  },
  'g-send-in-loop': {
    bad: [
      'users.forEach(u -> smsService.sendSms(u.getPhone(), text));',
      'for (const user of users) await sendMail(user.email);',
      'for (User u : users) { robot.sendMessage(u.getName()); }',
      'for u in users: notify.send_sms(u.phone)',
    ],
    good: [
      'smsService.sendBatch(phones, text);',
      'queue.addAll(users.map(toJob));',
      'interceptors.forEach(i -> i.sendMessageBefore(message));',
      'users.forEach(u -> names.add(u.getName()));',
    ],
  },
  'g-at-all': {
    bad: ['<at id=all></at>', '"isAtAll": true', "mentioned_list: ['@all'],", 'at.setIsAtAll(true);'],
    good: ['"isAtAll": false', "mentioned_list: ['zhangsan'],", 'const all = true;', 'at.setAtMobiles(mobiles);'],
  },
  'g-gbk-read-as-utf8': {
    bad: [
      'reader = new FileReader(csvFile);',
      "const text = readFileSync('bank/bill.csv', 'utf8');",
      "with open('bill.csv', encoding='utf-8') as f:",
      "const s = buf.toString('utf8'); // 银行给的是 GBK",
    ],
    good: [
      "const bytes = readFileSync('bank/bill.csv');",
      "const text = readFileSync('config.json', 'utf8');",
      "const s = new TextDecoder('gb18030').decode(bytes);",
      "with open('bill.csv', encoding='gb18030') as f:",
    ],
  },
  'g-decode-ignore-errors': {
    bad: [
      "row.encode('gbk', 'ignore')",
      "text = data.decode('utf-8', 'ignore')",
      "with open('a.txt', encoding='gbk', errors='ignore') as f:",
      'iconv -c -f GBK -t UTF-8 a.csv',
    ],
    good: [
      "text = data.decode('gb18030')",
      "with open('a.txt', encoding='gb18030') as f:",
      'iconv -f GB18030 -t UTF-8 a.csv',
      'os.makedirs(d, exist_ok=True)  # ignore',
    ],
  },
  'g-gb2312-charset': {
    bad: [
      'enc := simplifiedchinese.HZGB2312',
      'byte[] b = name.getBytes("GB2312");',
      "new TextDecoder('gb2312')",
      '<meta charset="gb2312">',
      'new String(bytes, "GB2312")',
    ],
    good: [
      'byte[] b = name.getBytes("GB18030");',
      "new TextDecoder('gb18030')",
      '<meta charset="utf-8">',
      '// GB2312 的字太少',
    ],
  },
  'g-download-filename': {
    bad: [
      'response.setHeader("Content-Disposition", "attachment; filename=" + fileName);',
      "res.setHeader('Content-Disposition', `attachment; filename=${name}`);",
      'String n = new String(fileName.getBytes("UTF-8"), "ISO8859-1");',
    ],
    good: [
      'response.setHeader("Content-Disposition", "attachment; filename*=UTF-8\'\'" + encoded);',
      'response.setHeader("Content-Disposition", "attachment; filename=" + URLEncoder.encode(fileName, "UTF-8"));',
      "res.setHeader('Content-Disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`);",
      'response.setHeader("Content-Disposition", "attachment; filename=report.xlsx");',
    ],
  },
  'g-export-in-memory': {
    path: 'src/main/java/com/shop/OrderExport.java',
    bad: [
      'Workbook wb = new XSSFWorkbook();',
      'try (XSSFWorkbook workbook = new XSSFWorkbook()) {',
      'HSSFWorkbook wb = new HSSFWorkbook();',
    ],
    good: [
      'Workbook wb = new SXSSFWorkbook(200);',
      'Workbook wb = new XSSFWorkbook(inputStream);',
      'EasyExcel.write(out, OrderRow.class).sheet().doWrite(rows);',
      'import org.apache.poi.xssf.usermodel.XSSFWorkbook;',
    ],
  },
  'g-phone-regex-segments': {
    bad: [
      '/^(?:13[0-9]|15[0-9])\\d{8}$/',
      '/^1(3|4|5|7|8)\\d{9}$/',
      'const PHONE = /^1[3|4|5|7|8]\\d{9}$/;',
      'String REG = "^((13[0-9])|(14[5,7])|(15[^4,\\\\D])|(18[0-9]))\\\\d{8}$";',
      "re.match(r'^1[3578]\\d{9}$', phone)",
    ],
    good: [
      'const PHONE = /^1[3-9]\\d{9}$/;',
      'String REG = "^1[3456789]\\\\d{9}$";',
      'const YEAR = /^19\\d{2}$/;',
      'const CODE = /^\\d{6}$/;',
    ],
  },
  'g-id-card-regex-only': {
    bad: [
      '"^[0-9]{17}[0-9X]$"',
      'const ID = /^\\d{17}[\\dXx]$/;',
      'const ID = /(^\\d{15}$)|(^\\d{17}(\\d|X|x)$)/;',
      'pattern = r"^[1-9]\\d{5}(18|19|20)\\d{2}(0[1-9]|1[0-2])\\d{2}\\d{3}[0-9Xx]$"',
    ],
    good: [
      'const ok = checkDigit(id) === id.at(-1);',
      'const PHONE = /^1[3-9]\\d{9}$/;',
      'const CARD = /^\\d{16,19}$/;',
      'IdcardUtil.isValidCard(idCard)',
    ],
  },
  'g-name-chinese-only-regex': {
    bad: [
      'const NAME = /^[\\u4e00-\\u9fa5]{2,4}$/;',
      'realName: [{ pattern: /^[\\u4e00-\\u9fa5]{2,6}$/ }],',
      '// 姓名：^[\\u4e00-\\u9fa5]+$',
    ],
    good: [
      'const NAME = /^[\\p{Script=Han}·]{2,20}$/u;',
      'const HAS_HAN = /[\\u4e00-\\u9fa5]/;',
      'text.replace(/[^\\u4e00-\\u9fa5]/g, "")',
      'const NICK = /^.{1,20}$/u;',
    ],
  },
};
