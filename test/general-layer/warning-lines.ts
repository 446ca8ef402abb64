/** Lines that a warning must fire on, and lines next to them that are fine. `path` where the warning looks at paths. */
export interface Lines {
  path?: string;
  bad: string[];
  good: string[];
}

export const WARNING_LINES: Record<string, Lines> = {
  'g-money-as-float': {
    bad: [
      'private double totalAmount;',
      'float price = 0;',
      '  `refund_amount` DOUBLE NOT NULL,',
      '  price float not null default 0,',
      'const n = parseFloat(order.amount);',
      'BigDecimal rate = new BigDecimal(0.1);',
    ],
    good: [
      'private long totalAmountFen;',
      'private BigDecimal totalAmount;',
      '  `amount` DECIMAL(12, 2) NOT NULL,',
      'BigDecimal rate = new BigDecimal("0.1");',
      'const width = parseFloat(style.width);',
      'float opacity = 1;',
    ],
  },
  'g-yuan-to-fen-without-round': {
    bad: ['total: order.price * 100,', 'const fen = yuan * 100;', 'body.amount = payAmount*100'],
    good: [
      'const fen = Math.round(yuan * 100);',
      'const percent = paidAmount * 100 / total;',
      'const x = count * 100;',
      'price.multipliedBy(100).toFixed(0) // price * 100',
      'const big = price * 1000;',
    ],
  },
  'g-long-id-as-number': {
    bad: ['const id = Number(req.params.orderId);', 'parseInt(row.user_id, 10)', 'Number(tradeNo)'],
    good: [
      'const page = Number(req.query.page);',
      'const id = String(req.params.orderId);',
      'parseInt(orderCount, 10)',
    ],
  },
  'g-gmt-default-now': {
    bad: [
      'private Date gmtCreate = new Date();',
      'createTime: Date = new Date();',
      'created_at = datetime.now()',
      'private LocalDateTime createTime = LocalDateTime.now();',
    ],
    good: [
      'private Date gmtCreate;',
      'const now = new Date();',
      'created_at = Column(DateTime, server_default=func.now())',
      'if (createTime === other.createTime) {',
    ],
  },
  'g-utc-date-slice': {
    bad: ['const day = new Date().toISOString().slice(0, 10);', "d.toISOString().split('T')[0]"],
    good: ['const iso = new Date().toISOString();', 'const day = shanghaiDate(now);'],
  },
  'g-static-simple-date-format': {
    bad: [
      'private static final SimpleDateFormat FMT = new SimpleDateFormat("yyyy-MM-dd");',
      'static DateFormat df = createFormat();',
    ],
    good: [
      'private static final DateTimeFormatter FMT = DateTimeFormatter.ISO_DATE;',
      'SimpleDateFormat fmt = new SimpleDateFormat("yyyy-MM-dd");',
    ],
  },
  'g-callback-trusted-unverified': {
    bad: [
      "if (req.body.trade_status === 'TRADE_SUCCESS') {",
      'String no = request.getParameter("out_trade_no");',
      'const amount = ctx.request.body.total_amount;',
      'skipVerify: true,',
    ],
    good: [
      'const notice = verifyNotify(req.headers, rawBody);',
      "if (notice.trade_status === 'TRADE_SUCCESS') {",
      'const page = req.query.page;',
      'skipVerify: false,',
    ],
  },
  'g-callback-not-idempotent': {
    path: 'src/payment/notify-handler.ts',
    bad: ['account.balance += notice.amount;', "sql('update account set balance = balance + ?')"],
    good: [
      'const balance = await load(id);',
      'retries += 1;',
      'update orders set state = ? where id = ? and state = ?',
    ],
  },
  'g-tls-verify-disabled': {
    bad: [
      'const agent = new https.Agent({ rejectUnauthorized: false });',
      "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';",
      'requests.get(url, verify=False)',
      'TLSClientConfig: &tls.Config{InsecureSkipVerify: true}',
      'curl -s -k https://pay.internal/health',
    ],
    good: [
      'const agent = new https.Agent({ rejectUnauthorized: true, ca });',
      'requests.get(url, verify="/etc/ssl/ca.pem")',
      'curl -s https://pay.internal/health',
      'const verified = verify(signature);',
    ],
  },
  'g-secret-in-code': {
    bad: [
      '-----BEGIN RSA PRIVATE KEY-----',
      "const appSecret = 'c0ffee5ca1ab1e00decade00facade99';",
      'const hook = "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=00000000-1111-2222-3333-444444444444";',
      'api_key: "9f8e7d6c5b4a39281706f5e4d3c2b1a0"',
    ],
    good: [
      'const appSecret = process.env.APP_SECRET;',
      "password: 'your-password-goes-here-please',",
      "const token = await fetchToken('merchant');",
      "label: 'password'",
      'secret: ${PAY_SECRET}',
    ],
  },
  'g-weak-password-hash': {
    bad: [
      'const hash = md5(user.password);',
      "crypto.createHash('md5').update(password).digest('hex')",
      'hashlib.md5(password.encode())',
      'DigestUtils.md5Hex(pwd)',
    ],
    good: [
      'const hash = await bcrypt.hash(password, 12);',
      "crypto.createHash('md5').update(fileBytes).digest('hex')",
      'const etag = md5(body);',
    ],
  },
  'g-personal-data-in-log': {
    bad: [
      "console.log('send sms to', user.phone);",
      'log.info("register mobile={}", mobile);',
      'logger.debug(`id card ${form.idCard}`);',
      'print(user.password)',
    ],
    good: [
      "console.log('send sms to', maskPhone(user.phone));",
      'log.info("register user={}", userId);',
      'const phone = form.phone;',
      "console.log('server started');",
    ],
  },
  'g-sql-concatenation': {
    bad: [
      'String sql = "select * from orders where id = " + id;',
      'const rows = await db.query(`select id from users where name = ${name}`);',
      'cursor.execute(f"delete from cart where user_id = {uid}")',
      '  order by ${sortField}',
      "  and name like '%${keyword}%'",
    ],
    good: [
      "db.query('select id from users where name = ?', [name])",
      'const rows = await sql`select id from users where name = ${name}`;',
      '  and name = #{name}',
      'const text = `共 ${total} 条`;',
      'const title = "update " + name;',
    ],
  },
  'g-random-for-secret': {
    bad: ['const smsCode = Math.random().toString().slice(2, 8);', 'token: Math.random().toString(36),'],
    good: ['const color = Math.random();', "const token = crypto.randomBytes(16).toString('hex');"],
  },
  'g-weak-cipher': {
    bad: [
      'Cipher.getInstance("AES/ECB/PKCS5Padding")',
      "crypto.createCipheriv('aes-128-ecb', key, null)",
      'AES.new(key, AES.MODE_ECB)',
      'Cipher.getInstance("DES")',
    ],
    good: [
      'Cipher.getInstance("AES/GCM/NoPadding")',
      "crypto.createCipheriv('aes-256-gcm', key, iv)",
      'DESCRIBE orders',
    ],
  },
  'g-gbk-read-as-utf8': {
    bad: [
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
  'g-select-star-in-export': {
    path: 'src/export/order-exporter.ts',
    bad: ["const rows = await db.all('SELECT * FROM orders');", 'select o.* from orders o'],
    good: ["const rows = await db.all('SELECT id, amount FROM orders');", 'select count(*) from orders'],
  },
  'g-mysql-utf8mb3': {
    bad: [
      ') ENGINE=InnoDB DEFAULT CHARSET=utf8;',
      'CREATE DATABASE shop CHARACTER SET utf8mb3',
      'name varchar(64) collate utf8_general_ci',
    ],
    good: [
      ') ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;',
      'collate utf8mb4_0900_ai_ci',
      '<meta charset="utf-8">',
      'charset=utf-8',
    ],
  },
  'g-swallowed-exception': {
    bad: ['try { pay(); } catch (e) {}', 'await close().catch(() => {});', 'except Exception: pass', '} catch {}'],
    good: [
      'try { pay(); } catch (e) { throw new PayError(e); }',
      'await close().catch((e) => log.warn(e));',
      '} catch (e) {',
      'except ValueError:',
    ],
  },
  'g-executors-unbounded': {
    bad: ['ExecutorService pool = Executors.newFixedThreadPool(8);', 'Executors.newCachedThreadPool()'],
    good: ['new ThreadPoolExecutor(4, 8, 60, SECONDS, new ArrayBlockingQueue<>(200))', 'Executors.callable(task)'],
  },
};
