import type { WarningLines } from './types.js';

const SERVICE = 'src/main/java/com/shop/OrderServiceImpl.java';

/** Java, Python, and concurrency. */
export const JAVA_LINES: WarningLines = {
  'g-java-string-identity': {
    path: SERVICE,
    bad: ['if (status == "PAID") {', 'return user.getRole() == "admin" ? 1 : 0;', 'if ("" == name) {'],
    good: [
      'if ("PAID".equals(status)) {',
      'if (status == Status.PAID) {',
      'String sql = "where a == \\"b\\"";',
      '// if (a == "b")',
      'if (name == null || "".equals(name)) {',
    ],
  },
  'g-boxed-id-identity': {
    path: SERVICE,
    bad: [
      'if (order.getUserId() == user.getId()) {',
      'if (userId != order.getUserId()) {',
      'return creator.getId() == userId;',
    ],
    good: [
      'if (Objects.equals(order.getUserId(), user.getId())) {',
      'if (!userId.equals(order.getUserId())) {',
      'if (order.getUserId() == null) {',
      'if (order.getStatus() == OrderStatus.PAID) {',
    ],
  },
  'g-java-split-regex': {
    path: SERVICE,
    bad: [
      'path.replaceFirst(".", "/")',
      'String[] parts = name.split(".");',
      'ids.split("|")',
      'ip.replaceAll(".", "-")',
    ],
    good: ['String[] parts = name.split("\\\\.");', 'ids.split(",")', 'ip.replace(".", "-")', 'line.split("\\\\|")'],
  },
  'g-default-charset': {
    path: SERVICE,
    bad: [
      'Writer w = new OutputStreamWriter(out);',
      'BufferedReader r = new BufferedReader(new InputStreamReader(conn.getInputStream()));',
      'new BufferedReader(new FileReader(file))',
      'Writer w = new FileWriter("out.csv");',
      'out.write("订单号".getBytes());',
    ],
    good: [
      'new InputStreamReader(conn.getInputStream(), StandardCharsets.UTF_8)',
      'new InputStreamReader(in, "GBK")',
      'Files.newBufferedReader(path, StandardCharsets.UTF_8)',
      'out.write("订单号".getBytes(StandardCharsets.UTF_8));',
      'new FileReader(file, StandardCharsets.UTF_8)',
    ],
  },
  'g-apache-beanutils': {
    bad: [
      'import org.apache.commons.beanutils.BeanUtils;',
      'org.apache.commons.beanutils.BeanUtils.copyProperties(vo, order);',
      'import static org.apache.commons.beanutils.BeanUtils.copyProperties;',
    ],
    good: [
      'import org.springframework.beans.BeanUtils;',
      'BeanUtils.copyProperties(order, vo);',
      'import cn.hutool.core.bean.BeanUtil;',
      'import org.apache.commons.beanutils.PropertyUtils;',
    ],
  },
  'g-to-map-duplicate-key': {
    path: SERVICE,
    bad: [
      'depts.stream().collect(Collectors.toMap(Dept::getName, Dept::getId));',
      'Collectors.toMap(Order::getStatus, Function.identity())',
      'tree.stream().collect(Collectors.toMap(node -> node.getNodeType(), t -> t));',
    ],
    good: [
      'Collectors.toMap(Dept::getName, Dept::getId, (a, b) -> a)',
      'Collectors.toMap(User::getId, Function.identity())',
      'Collectors.groupingBy(Order::getStatus)',
      'Arrays.stream(values()).collect(Collectors.toMap(PayTypeEnum::getType, e -> e));',
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
  'g-suppress-all-warnings': {
    bad: [
      '# type: ignore',
      '@SuppressWarnings("all")',
      '/* eslint-disable */',
      '// @ts-nocheck',
      '# pylint: disable=all',
    ],
    good: [
      '@SuppressWarnings("unchecked")',
      '// eslint-disable-next-line no-console',
      '/* eslint-disable no-undef */',
      '// @ts-expect-error 库的类型写错了',
      '# pylint: disable=too-many-arguments',
    ],
  },
  'g-python-mutable-default': {
    path: 'app/service.py',
    bad: ['def add(item, items=[]):', '    def query(self, filters={}, page=1):', 'async def send(users=list()):'],
    good: [
      'def add(item, items=None):',
      'def query(self, page=1):',
      'items = []',
      'def total(self, rows: list) -> int:',
    ],
  },
  'g-executors-unbounded': {
    bad: [
      'executor.setQueueCapacity(Integer.MAX_VALUE);',
      'ExecutorService pool = Executors.newFixedThreadPool(8);',
      'Executors.newCachedThreadPool()',
      'new ThreadPoolExecutor(4, 8, 60, SECONDS, new LinkedBlockingQueue<>());',
    ],
    good: [
      'new ThreadPoolExecutor(4, 8, 60, SECONDS, new ArrayBlockingQueue<>(200))',
      'Executors.callable(task)',
      '// ExecutorService pool = Executors.newFixedThreadPool(8);',
      'new LinkedBlockingQueue<>(1000)',
    ],
  },
  'g-new-thread-start': {
    path: SERVICE,
    bad: [
      'new Thread(() -> sendMail(order)).start();',
      'Thread t = new Thread(new Runnable() {',
      'new Thread(this::sync).start();',
    ],
    good: [
      'executor.execute(() -> sendMail(order));',
      '// new Thread(() -> sync()).start();',
      'Thread.currentThread().getName()',
      'CompletableFuture.runAsync(task, executor);',
    ],
  },
  'g-jvm-lock-in-cluster': {
    path: SERVICE,
    bad: [
      'public synchronized Order createOrder(OrderForm form) {',
      'private synchronized void deductStock(Long skuId) {',
      'synchronized (userId.toString().intern()) {',
    ],
    good: [
      'public Order createOrder(OrderForm form) {',
      'public synchronized void close() {',
      'synchronized (cache) {',
      'RLock lock = redisson.getLock("order:" + userId);',
    ],
  },
  'g-sleep-in-request': {
    path: SERVICE,
    bad: ['        time.sleep(3)', 'Thread.sleep(3000);', 'TimeUnit.SECONDS.sleep(5);', '        sleep(3);'],
    good: [
      '// Thread.sleep(3000);',
      'scheduler.schedule(task, 3, TimeUnit.SECONDS);',
      'long sleep = policy.sleep(times);',
      'LockSupport.parkNanos(1);',
    ],
  },
  'g-static-map-as-cache': {
    path: SERVICE,
    bad: [
      'private static final Map<String, User> userCache = new HashMap<>();',
      'private static Map<Long, Session> sessions = new HashMap<>();',
      'static final Map<String, String> CAPTCHA_MAP = new ConcurrentHashMap<>();',
    ],
    good: [
      'private static final Map<String, Integer> LEVELS = new HashMap<>();',
      'private static final Map<Class<?>, Field[]> FIELD_CACHE = new ConcurrentHashMap<>();',
      'private final Cache<String, User> users = Caffeine.newBuilder().maximumSize(1000).build();',
      'Map<String, User> userCache = new HashMap<>();',
    ],
  },
  'g-async-default-pool': {
    path: SERVICE,
    bad: [
      'list.add(CompletableFuture.supplyAsync(() -> userClient.find(id)));',
      'CompletableFuture.runAsync(this::refresh)',
      'ids.parallelStream().map(id -> userMapper.selectById(id)).toList();',
    ],
    good: [
      'list.add(CompletableFuture.supplyAsync(() -> userClient.find(id), executor));',
      'CompletableFuture.runAsync(this::refresh, executor)',
      'numbers.parallelStream().map(n -> n * n).toList();',
      'ids.stream().map(users::get).toList();',
    ],
  },
  'g-timer-task': {
    path: SERVICE,
    bad: ['Timer timer = new Timer();', 'new Timer("close-order", true)', 'timer.schedule(new TimerTask() {'],
    good: [
      'new ScheduledThreadPoolExecutor(2, factory)',
      'import java.util.TimerTask;',
      'HashedWheelTimer timer = new HashedWheelTimer();',
      'executor.schedule(task, 10, TimeUnit.MILLISECONDS);',
    ],
  },
  'g-retry-without-limit': {
    bad: ['while (!success) {', 'maxAttempts = Integer.MAX_VALUE', '  retries: Infinity,', '    while not connected:'],
    good: [
      'while (!success && times < MAX) {',
      'maxAttempts = 3',
      '  retries: 3,',
      'while (!queue.isEmpty()) {',
      '} // while( !ok )',
    ],
  },
};
